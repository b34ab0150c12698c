import type { AccountState, Provider } from '../../../data/repositories';
import { availableProviders } from '../sign-in/available-providers';

export interface ProviderRow {
  readonly provider: Provider;
  /** Available action; `only-way`: linked, and the only way to sign in. */
  readonly action: 'link' | 'unlink' | 'only-way';
}

/** Providers of an account: linked or available. Google is not offered in web views (2§2), but can be unlinked. */
export function providerRows(
  { email, isEmailVerified, hasPassword, providers }: AccountState,
  agent: string,
): readonly ProviderRow[] {
  const offered = availableProviders(providers, { agent, isAboard: false });
  // Same rule as the cloud, which refuses if it does not report a password.
  const hasAddress = email !== '' && (isEmailVerified || hasPassword !== false);
  const linked = providers.filter((one) => one.linked).length;
  return providers.flatMap((provider): ProviderRow[] => {
    if (provider.linked) return [{ provider, action: linked > 1 || hasAddress ? 'unlink' : 'only-way' }];
    return offered.includes(provider) ? [{ provider, action: 'link' }] : [];
  });
}

/** Status of an account's email address, one line. */
export function addressText({ email, isEmailVerified }: Pick<AccountState, 'email' | 'isEmailVerified'>): string {
  if (email === '') return 'None yet. Add one to sign in with an emailed code.';
  return isEmailVerified
    ? `${email}, confirmed`
    : `${email}, not confirmed yet. Sign in once with an emailed code to confirm it.`;
}
