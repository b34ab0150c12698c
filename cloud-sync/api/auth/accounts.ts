import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { AccountCallers } from './callers';
import { Devices } from './devices';
import { openLibrary } from './library';
import { LoginCodes } from './login-codes';
import { migrateAuth } from './migrations';
import type { NameOf } from './people';
import { People } from './people';
import { PersonSessions } from './sessions';
import { Tokens } from './tokens';

/** Everything about who calls. */
export interface Accounts {
  readonly people: People;
  readonly codes: LoginCodes;
  readonly sessions: PersonSessions;
  readonly tokens: Tokens;
  readonly devices: Devices;
  readonly callers: AccountCallers;
}

export interface AccountOptions {
  readonly pool: Pool;
  /** Of this service alone, kept outside the database: see `migrations.ts`. */
  readonly secret: string;
  /** Where the service is reached: the issuer of its tokens. */
  readonly baseUrl: URL;
  readonly clock: () => number;
  readonly log: Logger;
  readonly nameOf: NameOf;
}

/**
 * Opens the accounts over a database; brings their schema up to date.
 *
 * @throws Error where the database was made with another secret, or by a newer version
 */
export async function openAccounts({ pool, secret, baseUrl, clock, log, nameOf }: AccountOptions): Promise<Accounts> {
  await migrateAuth(pool);
  const library = openLibrary(pool, secret, baseUrl.origin, log);
  const people = new People(pool, library, nameOf);
  const sessions = new PersonSessions(pool, library, secret, clock);
  const tokens = new Tokens(library, baseUrl.origin, clock);
  const devices = new Devices(pool, clock);
  const codes = new LoginCodes(pool, secret, clock);
  await tokens.check();
  await codes.sweep();
  return { people, codes, sessions, tokens, devices, callers: new AccountCallers(sessions, tokens, devices, clock, log) };
}
