import type { ObservableValue } from '../../../base/observable';
import { lazyRepository } from '../lazy-repository';
import type { RepositoryContext } from '../repository-context';
import type { AccountSettings } from './account-settings';
import type { Person } from './person';

/** Creates the account settings, which load on first use: few people change them. */
export function lazyAccountSettings(parts: RepositoryContext, person: ObservableValue<Person | null>): AccountSettings {
  return lazyRepository(async () => (await import('./account-settings')).createAccountSettings(parts, person)).methods(
    'read',
    'changePassword',
    'sendEmailChangeCode',
    'changeEmail',
    'startLinkingProvider',
    'finishLinkingProvider',
    'unlinkProvider',
    'tablets',
    'revokeTablet',
  );
}
