import type { Provider } from '../../../data/repositories';
import { isEmbeddedWebView } from './web-view';

/**
 * Available providers. Google: "unless the page runs in an embedded web view or on an edge platform" (2§2); none
 * aboard, as all need the internet.
 */
export function availableProviders(
  providers: readonly Provider[],
  { agent, isAboard }: { readonly agent: string; readonly isAboard: boolean },
): readonly Provider[] {
  if (isAboard) return [];
  return isEmbeddedWebView(agent) ? providers.filter(({ id }) => id !== 'google') : providers;
}
