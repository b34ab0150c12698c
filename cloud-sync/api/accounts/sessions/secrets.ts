import { createHash, createHmac, randomBytes } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { managedNonce } from '@noble/ciphers/utils.js';
import type { Pool } from 'pg';

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of a random token, hex, as stored. Sufficient, since 32 random bytes cannot be guessed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** HMAC-SHA-256, hex, for values that could be guessed. `use` separates uses. */
export function keyedHash(secret: string, use: string, text: string): string {
  return createHmac('sha256', secret).update(`${use}\n${text}`, 'utf8').digest('hex');
}

/** Encryption of secrets that the database holds. */
export interface AccountsCipher {
  readonly seal: (bytes: Uint8Array) => string;
  /** @throws Error if another secret sealed it, or it was changed */
  readonly open: (sealed: string) => Uint8Array;
}

/**
 * XChaCha20-Poly1305 under the SHA-256 of the accounts' secret. A sealed text is the hex of nonce, ciphertext and tag, as
 * in the accounts library that version 1 ran on.
 */
export function accountsCipher(secret: string): AccountsCipher {
  const cipher = managedNonce(xchacha20poly1305)(createHash('sha256').update(secret).digest());
  return {
    seal: (bytes) => Buffer.from(cipher.encrypt(bytes)).toString('hex'),
    open: (sealed) => cipher.decrypt(Buffer.from(sealed, 'hex')),
  };
}

// A token's prefix names its kind, so that only that kind is looked up.

export const SESSION_TOKEN = /^reef-session-[0-9A-Za-z_-]{43}$/;
export const DEVICE_CREDENTIAL = /^reef-device-[0-9A-Za-z_-]{43}$/;

export function newSessionToken(): string {
  return `reef-session-${newToken()}`;
}

export function newDeviceCredential(): string {
  return `reef-device-${newToken()}`;
}

/** Returns the accounts' secret. The first process creates it in the database, which all processes share. */
export async function accountsSecret(pool: Pool): Promise<string> {
  await pool.query('INSERT INTO auth.secret (single, value) VALUES (true, $1) ON CONFLICT (single) DO NOTHING', [
    newToken(),
  ]);
  const { rows } = await pool.query<{ value: string }>('SELECT value FROM auth.secret');
  const [row] = rows;
  if (row === undefined) throw new Error('the accounts have no secret');
  return row.value;
}
