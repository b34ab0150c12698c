import { ReefError } from '../../../domain/errors';
import { signInSchema } from '../../../protocol/edge-http';

/** @throws ReefError `bad-message` {field: 'email'} */
export function parseEmail(email: string): string {
  const checked = signInSchema.shape.email.safeParse(email.trim());
  if (!checked.success)
    throw new ReefError('bad-message', { field: 'email', message: 'Please enter a valid email address' });
  return checked.data;
}
