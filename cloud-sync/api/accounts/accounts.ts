import type { Logger } from 'pino';
import { AUTH_LIMITS } from './auth-limits';
import { Administration } from './people/administration';
import type { GrantAccess } from './people/account-creation';
import { AccountCreation } from './people/account-creation';
import type { CloudDatabase } from '../postgres/connect';
import { grantClaims } from './people/claims';
import { AccountCallers } from './sessions/account-callers';
import { withSchemaLock } from '../postgres/schema-lock';
import { DeviceKeys } from './sessions/device-keys';
import { Devices } from './sessions/devices';
import { EmailAccounts } from './sign-in/email-accounts';
import { MailLinks } from './sign-in/mail-links';
import { MailedCodes } from './sign-in/mailed-codes';
import { migrateAuth } from './migrate-auth';
import type { NameOf, ShowInProfile } from './people/people';
import { People } from './people/people';
import { PersonStatements } from './people/person-statements';
import type { PasswordCost } from './sign-in/passwords';
import { Passwords } from './sign-in/passwords';
import { Identities } from './providers/identities';
import { ProviderSignIns } from './providers/provider-sign-ins';
import { accountsCipher, accountsSecret } from './sessions/secrets';
import { PersonSessions } from './sessions/person-sessions';
import { SigningKeys } from './sessions/signing-keys';
import { Tokens } from './sessions/tokens';
import { WindowSignIns } from './window/window-sign-ins';
import { Passkeys } from './second-factor/passkeys';
import { SecondFactors } from './second-factor/second-factors';
import { AttemptLimiter } from './sign-in/attempt-limiter';

export interface Accounts {
  readonly people: People;
  readonly statements: PersonStatements;
  readonly accountCreation: AccountCreation;
  readonly codes: MailedCodes;
  readonly emailAccounts: EmailAccounts;
  readonly mailLinks: MailLinks;
  readonly providerSignIns: ProviderSignIns;
  readonly windowSignIns: WindowSignIns;
  readonly identities: Identities;
  readonly sessions: PersonSessions;
  readonly tokens: Tokens;
  readonly devices: Devices;
  readonly deviceKeys: DeviceKeys;
  readonly admin: Administration;
  readonly callers: AccountCallers;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
}

interface AccountOptions {
  readonly database: Pick<CloudDatabase, 'pool'>;
  /** Public address of the service; the issuer of its tokens. */
  readonly baseUrl: URL;
  readonly clock: () => number;
  readonly log: Logger;
  readonly nameOf: NameOf;
  readonly showInProfile: ShowInProfile;
  readonly grantAccess: GrantAccess;
  /** Absent: as OWASP advises. */
  readonly passwordCost?: PasswordCost | undefined;
}

/**
 * Opens the accounts and migrates their schema.
 *
 * @throws Error if a newer version of the service wrote the schema
 */
export async function openAccounts({
  database: { pool },
  baseUrl,
  clock,
  log,
  nameOf,
  showInProfile,
  grantAccess,
  passwordCost,
}: AccountOptions): Promise<Accounts> {
  const { secret, tokens } = await withSchemaLock(pool, async () => {
    await migrateAuth(pool);
    const secret = await accountsSecret(pool);
    const tokens = new Tokens(baseUrl.origin, clock, new SigningKeys(pool, accountsCipher(secret), clock));
    // Creates the first keys, once for all processes.
    await tokens.jwks();
    return { secret, tokens };
  });
  const people = new People(pool, { nameOf, showInProfile });
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
    passwords: new Passwords(AUTH_LIMITS.passwordQueueMax, passwordCost),
    clock,
    onSessionsEnded: () => callers.clearCache(),
    onChange: (uid) => people.publish(uid),
  });
  const secondFactors = new SecondFactors({
    pool,
    secret,
    cipher: accountsCipher(secret),
    attemptLimiter,
    clock,
    onChange: () => callers.clearCache(),
  });
  const [mailLinks, providerSignIns, identities] = [
    new MailLinks(pool, attemptLimiter, clock),
    new ProviderSignIns(pool, secret, clock),
    new Identities(pool, people, accountCreation),
  ];
  return {
    people,
    statements: new PersonStatements({ pool, clock, grantAccess }),
    accountCreation,
    codes: new MailedCodes(pool, secret, clock, attemptLimiter),
    emailAccounts,
    mailLinks,
    providerSignIns,
    windowSignIns: new WindowSignIns(pool, clock),
    identities,
    sessions,
    tokens,
    devices,
    deviceKeys: new DeviceKeys(pool, clock),
    admin: new Administration(pool, people, clock),
    callers,
    secondFactors,
    passkeys: new Passkeys(pool, secondFactors, clock),
  };
}
