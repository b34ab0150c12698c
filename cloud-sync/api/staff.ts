import { VALIDATION_MESSAGES } from '../../src/domain/messages';
import type { Accounts } from './auth/accounts';
import { normalEmail } from './auth/email';

/**
 * `npm run cloud -- staff <email> [off]`: makes a person staff, or no longer. Nothing over the network does.
 *
 * @returns one line for whoever typed it
 * @throws Error where the address is none, or nobody has it: they sign in once first
 */
export async function setStaff({ people }: Accounts, args: readonly string[]): Promise<string> {
  const [typed, word] = args;
  if (typed === undefined || (word !== undefined && word !== 'off')) throw new Error('Say whom: npm run cloud -- staff <email> [off]');
  const email = normalEmail(typed);
  const staff = word === undefined;
  if (!(await people.setStaff(email, staff))) throw new Error(`${VALIDATION_MESSAGES.noUserForEmail(email)}. They sign in once first.`);
  return staff ? `${email} is staff now.` : `${email} is no longer staff.`;
}
