import type { Provider } from '../../../data/repositories';
import { isEmbeddedWebView } from './web-view';

/** Who may be signed in with here: "unless the page runs in an embedded web view or on an edge platform" Google (2§2); aboard none, as all of them want the internet. */
export function availableProviders(
  providers: readonly Provider[],
  { agent, isAboard }: { readonly agent: string; readonly isAboard: boolean },
): readonly Provider[] {
  if (isAboard) return [];
  return isEmbeddedWebView(agent) ? providers.filter(({ id }) => id !== 'google') : providers;
}
