import { createHmac } from 'node:crypto';

/** Seconds of a step, digits of a code, and the hash: what every authenticator app assumes (RFC 6238). */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the server's own whose code counts: clocks of phones differ. */
const TOLERANCE_STEPS = 1;

/** Bytes of a secret: as many as the hash has (RFC 4226, 4). */
export const SECRET_BYTES = 20;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in base32 (RFC 4648) without padding, as authenticator apps take a secret by hand. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Number of the step at a time, ms since 1970. */
export function stepAt(time: number): number {
  return Math.floor(time / 1000 / STEP_SECONDS);
}

/** Code of a step, six digits (RFC 4226, 5.3). */
export function codeOfStep(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Finds the step of a typed code near a time.
 *
 * @param after step of the last code that was used: it and earlier ones no longer count
 * @returns undefined unless the code is right
 */
export function stepOfCode(
  secret: Uint8Array,
  typed: string,
  { time, after }: { readonly time: number; readonly after: number },
): number | undefined {
  const code = typed.replace(/\D/g, '');
  const now = stepAt(time);
  for (let step = now - TOLERANCE_STEPS; step <= now + TOLERANCE_STEPS; step++)
    if (step > after && codeOfStep(secret, step) === code) return step;
  return undefined;
}

/** Address that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const issuer = 'Great Reef Census';
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
