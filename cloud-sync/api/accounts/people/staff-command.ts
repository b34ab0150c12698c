import path from 'node:path';
import type { Logger } from 'pino';
import { isId } from '../../../../src/domain/id-shape';
import { VALIDATION_MESSAGES } from '../../../../src/domain/messages';
import type { Accounts } from '../accounts';
import { openAccounts } from '../accounts';
import { normalizeEmail } from '../sign-in/email';
import { connectDatabase } from '../../postgres/connect';
import { findRunningPostgres } from '../../postgres/running-postgres';
import type { CloudSettings } from '../../settings';

/**
 * Runs `npm run cloud -- staff <email> [off]`: sets or removes the staff role, which no network call can do. Works with
 * or without a running service, which notices within seconds.
 *
 * @returns one line for the operator
 * @throws Error in plain words on failure
 */
export function staffCommand(settings: CloudSettings, log: Logger, args: readonly string[]): Promise<string> {
  return withAccounts(settings, log, (accounts) => setStaff(accounts, args));
}

/**
 * Runs `npm run cloud -- reset-second-factor <email>`: the operator's way out for a person who lost it.
 *
 * @returns one line for the operator
 * @throws Error in plain words on failure
 */
export function resetFactorCommand(settings: CloudSettings, log: Logger, args: readonly string[]): Promise<string> {
  return withAccounts(settings, log, (accounts) => resetFactor(accounts, args));
}

/**
 * Runs `npm run cloud -- confirm-claim <uid> <email>`: gives the work of a pending person to the account of an address,
 * where the box at which they signed in states nothing about them.
 *
 * @returns one line for the operator
 * @throws Error in plain words on failure
 */
export function confirmClaimCommand(settings: CloudSettings, log: Logger, args: readonly string[]): Promise<string> {
  return withAccounts(settings, log, (accounts) => confirmClaim(accounts, args));
}

async function withAccounts(
  settings: CloudSettings,
  log: Logger,
  work: (accounts: Accounts) => Promise<string>,
): Promise<string> {
  const databaseUrl = settings.databaseUrl ?? (await findRunningPostgres(path.join(settings.home, 'postgres'))) ?? null;
  const database = await connectDatabase({
    databaseUrl,
    home: settings.home,
    report: (message) => log.warn(message),
    connections: 2,
  });
  try {
    const accounts = await openAccounts({
      database,
      baseUrl: new URL('http://localhost'),
      clock: Date.now,
      log,
      nameOf: async () => undefined,
      showInProfile: async () => undefined,
      grantAccess: async () => undefined,
    });
    return await work(accounts);
  } finally {
    await database.close();
  }
}

/**
 * Sets or removes the staff role.
 *
 * @throws Error if the address is invalid or unknown: the person must sign in once first
 */
export async function setStaff({ people }: Pick<Accounts, 'people'>, args: readonly string[]): Promise<string> {
  const [typed, word] = args;
  if (typed === undefined || (word !== undefined && word !== 'off'))
    throw new Error('Say whom: npm run cloud -- staff <email> [off]');
  const email = normalizeEmail(typed);
  const staff = word === undefined;
  if (!(await people.setStaff(email, staff)))
    throw new Error(`${VALIDATION_MESSAGES.noUserForEmail(email)}. They sign in once first.`);
  return staff ? `${email} is staff now.` : `${email} is no longer staff.`;
}

/**
 * Removes a person's second factor and ends their sessions.
 *
 * @throws Error if the address is invalid or unknown
 */
export async function resetFactor(
  { people, secondFactors }: Pick<Accounts, 'people' | 'secondFactors'>,
  args: readonly string[],
): Promise<string> {
  const [typed, more] = args;
  if (typed === undefined || more !== undefined)
    throw new Error('Say whose: npm run cloud -- reset-second-factor <email>');
  const email = normalizeEmail(typed);
  const person = await people.byEmail(email);
  if (person === undefined) throw new Error(`${VALIDATION_MESSAGES.noUserForEmail(email)}.`);
  await secondFactors.reset(person.uid, null);
  return `${email} has no second step now, and is signed out everywhere. They sign in and set one up within ten minutes.`;
}

/**
 * Settles the claim of an address on a pending person's work.
 *
 * @throws Error if the address is invalid, or the uid is an account's or unknown
 */
export async function confirmClaim(
  { statements }: Pick<Accounts, 'statements'>,
  args: readonly string[],
): Promise<string> {
  const [uid, typed, more] = args;
  if (uid === undefined || typed === undefined || more !== undefined || !isId(uid))
    throw new Error('Say whose and for whom: npm run cloud -- confirm-claim <uid> <email>');
  const email = normalizeEmail(typed);
  if (!(await statements.confirmByOperator(uid, email)))
    throw new Error(`${uid} wrote nothing that is here, or has an account of their own.`);
  return `What ${uid} wrote belongs to ${email} too, from the next sign-in with that address on.`;
}
