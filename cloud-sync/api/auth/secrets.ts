import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random token of 32 bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of a random token: SHA-256, hex. Enough, since nobody can guess 32 random bytes. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** A hash that only this server can compute, for what could be guessed: HMAC-SHA-256. `use` keeps one use from another. */
export function keyedHash(secret: string, use: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`${use}\n${text}`, 'utf8').digest();
}

/** Compares in a time that does not tell how much agrees. */
export function sameBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A credential of a tablet says what it is, so that no other kind of token is looked up for it. */
export const DEVICE_CREDENTIAL = /^reef-device-[0-9A-Za-z_-]{43}$/;

export function newDeviceCredential(): string {
  return `reef-device-${newToken()}`;
}
