import { ReefError } from '../../../domain/errors';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { signInSchema } from '../../../protocol/edge-http';

/** @throws ReefError `bad-message` {field: 'email'} */
export function parseEmail(email: string): string {
  const checked = signInSchema.shape.email.safeParse(email.trim());
  if (!checked.success)
    throw new ReefError('bad-message', { field: 'email', message: ANALYSIS_MESSAGES.profileEmailInvalid });
  return checked.data;
}
