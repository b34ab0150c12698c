import type { AccountState, Provider } from '../../../data/repositories';
import { availableProviders } from '../sign-in/available-providers';

/** Another service in the account's settings. */
export interface ProviderRow {
  readonly provider: Provider;
  /** What may be done; `only-way`: linked, and nothing else lets its owner in. */
  readonly action: 'link' | 'unlink' | 'only-way';
}

/** The other services of an account: those linked, and those that may be. Google is not offered where it signs nobody in (2§2), but can be taken away. */
export function providerRows(
  { email, isEmailVerified, hasPassword, providers }: AccountState,
  agent: string,
): readonly ProviderRow[] {
  const offered = availableProviders(providers, { agent, isAboard: false });
  // As the service counts them. Where it does not say whether there is a password it refuses by itself.
  const hasAddress = email !== '' && (isEmailVerified || hasPassword !== false);
  const linked = providers.filter((one) => one.linked).length;
  return providers.flatMap((provider): ProviderRow[] => {
    if (provider.linked) return [{ provider, action: linked > 1 || hasAddress ? 'unlink' : 'only-way' }];
    return offered.includes(provider) ? [{ provider, action: 'link' }] : [];
  });
}

/** How the address of an account stands, in a line. */
export function addressText({ email, isEmailVerified }: Pick<AccountState, 'email' | 'isEmailVerified'>): string {
  if (email === '') return 'None yet. With one you can sign in by a mailed code.';
  return isEmailVerified
    ? `${email}, confirmed`
    : `${email}, not confirmed yet. Signing in once by a mailed code confirms it.`;
}
