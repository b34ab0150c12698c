/** Second factors at a test cloud, set up and passed as a person does. */
import { codeOfStep, stepAt } from '../../../cloud-sync/api/accounts/second-factor/one-time-codes';
import type { TestCloud } from './cloud';

/** Decodes base32 (RFC 4648). */
function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'));
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** Authenticator app of a test: the code at a time, by default now. */
export type Authenticator = (time?: number) => string;

export function authenticatorOf(secret: string): Authenticator {
  const bytes = fromBase32(secret.replaceAll(' ', ''));
  return (time = Date.now()) => codeOfStep(bytes, stepAt(time));
}

/** Sets one-time codes up; the session has passed then, and the code of this time is used. */
export async function setUpCodes(
  cloud: TestCloud,
  session: string,
): Promise<{ readonly app: Authenticator; readonly recoveryCodes: readonly string[] }> {
  const begun = await cloud.post<{ secret: string }>('/api/account/second-factor/codes', {}, session);
  const app = authenticatorOf(begun.body.secret);
  const { status, body } = await cloud.post<{ recoveryCodes: readonly string[] }>(
    '/api/account/second-factor/codes/confirm',
    { code: app(cloud.cloud.context.clock()) },
    session,
  );
  if (status !== 200) throw new Error(`second-factor/codes/confirm: ${status} ${JSON.stringify(body)}`);
  return { app, recoveryCodes: body.recoveryCodes };
}
