import type { Logger } from 'pino';
import { Administration } from './administration';
import type { LetSee } from './arrivals';
import { Arrivals } from './arrivals';
import type { CloudDatabase } from '../postgres/connect';
import { settleClaims } from './claims';
import { AccountCallers } from './callers';
import { withSchemaLock } from '../postgres/schema-lock';
import { Devices } from './devices';
import { openLibrary } from './library';
import { EmailAccounts } from './email-accounts';
import { MailLinks } from './mail-links';
import { MailedCodes } from './mailed-codes';
import { migrateAuth } from './migrations';
import type { NameOf, ShowInProfile } from './people';
import { People } from './people';
import { Passwords } from './passwords';
import { Identities } from './providers/identities';
import { ProviderTurns } from './providers/turns';
import { sharedSecret } from './secrets';
import { PersonSessions } from './sessions';
import { SigningKeys } from './signing-keys';
import { Tokens } from './tokens';
import { Tries } from './tries';

/** Everything about who calls. */
export interface Accounts {
  readonly people: People;
  readonly arrivals: Arrivals;
  readonly codes: MailedCodes;
  readonly byEmail: EmailAccounts;
  readonly links: MailLinks;
  readonly turns: ProviderTurns;
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
  readonly letSee: LetSee;
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
  letSee,
}: AccountOptions): Promise<Accounts> {
  const { secret, library, tokens } = await withSchemaLock(pool, async () => {
    await migrateAuth(pool);
    const secret = await sharedSecret(pool);
    const library = openLibrary(kysely, secret, baseUrl.origin, log);
    const tokens = new Tokens(library, baseUrl.origin, clock, new SigningKeys(pool, library, clock));
    // The first call looks at the tables and makes the first keys.
    await tokens.jwks();
    return { secret, library, tokens };
  });
  const people = new People(pool, library, { nameOf, showIn: showInProfile, onShutOut: () => callers.forget() });
  const sessions = new PersonSessions(pool, clock, async (uid) => {
    await people.publish(uid);
    await settleClaims(pool, letSee, { account: uid });
  });
  const devices = new Devices(pool, clock);
  const callers = new AccountCallers(sessions, tokens, devices, clock, log);
  const arrivals = new Arrivals(pool, people, letSee, clock, () => callers.forget());
  const tries = new Tries(pool, secret, clock);
  const byEmail = new EmailAccounts({
    pool,
    tries,
    passwords: new Passwords(),
    clock,
    onShutOut: () => callers.forget(),
    onChange: (uid) => people.publish(uid),
  });
  const [links, turns, identities] = [
    new MailLinks(pool, tries, clock),
    new ProviderTurns(pool, secret, clock),
    new Identities(pool, people, arrivals),
  ];
  return {
    people,
    arrivals,
    codes: new MailedCodes(pool, secret, clock, tries),
    byEmail,
    links,
    turns,
    identities,
    sessions,
    tokens,
    devices,
    admin: new Administration(pool, people, clock),
    callers,
  };
}
