import type { Logger } from 'pino';
import { Administration } from './administration';
import type { GrantAccess } from './arrivals';
import { AccountCreation } from './arrivals';
import type { CloudDatabase } from '../postgres/connect';
import { grantClaims } from './claims';
import { AccountCallers } from './callers';
import { withSchemaLock } from '../postgres/schema-lock';
import { Devices } from './devices';
import { openAuthLibrary } from './library';
import { EmailAccounts } from './email-accounts';
import { MailLinks } from './mail-links';
import { MailedCodes } from './mailed-codes';
import { migrateAuth } from './migrations';
import type { NameOf, ShowInProfile } from './people';
import { People } from './people';
import { Passwords } from './passwords';
import { Identities } from './providers/identities';
import { ProviderSignIns } from './providers/turns';
import { accountsSecret } from './secrets';
import { PersonSessions } from './sessions';
import { SigningKeys } from './signing-keys';
import { Tokens } from './tokens';
import { AttemptLimiter } from './tries';

/** Everything about who calls. */
export interface Accounts {
  readonly people: People;
  readonly accountCreation: AccountCreation;
  readonly codes: MailedCodes;
  readonly emailAccounts: EmailAccounts;
  readonly mailLinks: MailLinks;
  readonly providerSignIns: ProviderSignIns;
  readonly identities: Identities;
  readonly sessions: PersonSessions;
  readonly tokens: Tokens;
  readonly devices: Devices;
  readonly admin: Administration;
  readonly callers: AccountCallers;
}

export interface AccountOptions {
  readonly database: Pick<CloudDatabase, 'pool' | 'kysely'>;
  /** Where the service is reached: the issuer of its tokens. */
  readonly baseUrl: URL;
  readonly clock: () => number;
  readonly log: Logger;
  readonly nameOf: NameOf;
  readonly showInProfile: ShowInProfile;
  readonly grantAccess: GrantAccess;
}

/**
 * Opens the accounts over a database; brings their schema up to date.
 *
 * @throws Error where a newer version of the service made the schema
 */
export async function openAccounts({
  database: { pool, kysely },
  baseUrl,
  clock,
  log,
  nameOf,
  showInProfile,
  grantAccess,
}: AccountOptions): Promise<Accounts> {
  const { secret, library, tokens } = await withSchemaLock(pool, async () => {
    await migrateAuth(pool);
    const secret = await accountsSecret(pool);
    const library = openAuthLibrary(kysely, secret, baseUrl.origin, log);
    const tokens = new Tokens(library, baseUrl.origin, clock, new SigningKeys(pool, library, clock));
    // The first call looks at the tables and makes the first keys.
    await tokens.jwks();
    return { secret, library, tokens };
  });
  const people = new People(pool, library, { nameOf, showInProfile, onSessionsEnded: () => callers.clearCache() });
  const sessions = new PersonSessions(pool, clock, async (uid) => {
    await people.publish(uid);
    await grantClaims(pool, grantAccess, { account: uid });
  });
  const devices = new Devices(pool, clock);
  const callers = new AccountCallers(sessions, tokens, devices, clock, log);
  const accountCreation = new AccountCreation(pool, people, grantAccess, clock, () => callers.clearCache());
  const attemptLimiter = new AttemptLimiter(pool, secret, clock);
  const emailAccounts = new EmailAccounts({
    pool,
    attemptLimiter,
    passwords: new Passwords(),
    clock,
    onSessionsEnded: () => callers.clearCache(),
    onChange: (uid) => people.publish(uid),
  });
  const [mailLinks, providerSignIns, identities] = [
    new MailLinks(pool, attemptLimiter, clock),
    new ProviderSignIns(pool, secret, clock),
    new Identities(pool, people, accountCreation),
  ];
  return {
    people,
    accountCreation,
    codes: new MailedCodes(pool, secret, clock, attemptLimiter),
    emailAccounts,
    mailLinks,
    providerSignIns,
    identities,
    sessions,
    tokens,
    devices,
    admin: new Administration(pool, people, clock),
    callers,
  };
}
