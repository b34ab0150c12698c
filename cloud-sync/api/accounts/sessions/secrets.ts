import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** A random token of 32 bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of a random token: SHA-256, hex. Enough, since nobody can guess 32 random bytes. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** A hash for what could be guessed, HMAC-SHA-256, hex. `use` keeps one use from another. */
export function keyedHash(secret: string, use: string, text: string): string {
  return createHmac('sha256', secret).update(`${use}\n${text}`, 'utf8').digest('hex');
}

// A token says of what kind it is, so that no other kind is looked up for it.

export const SESSION_TOKEN = /^reef-session-[0-9A-Za-z_-]{43}$/;
export const DEVICE_CREDENTIAL = /^reef-device-[0-9A-Za-z_-]{43}$/;

export function newSessionToken(): string {
  return `reef-session-${newToken()}`;
}

export function newDeviceCredential(): string {
  return `reef-device-${newToken()}`;
}

/**
 * The secret of the accounts. It lies in the database because that alone is shared by all processes of the service, each of which
 * has a home of its own; the first process makes it.
 */
export async function accountsSecret(pool: Pool): Promise<string> {
  await pool.query('INSERT INTO auth.secret (single, value) VALUES (true, $1) ON CONFLICT (single) DO NOTHING', [
    newToken(),
  ]);
  const { rows } = await pool.query<{ value: string }>('SELECT value FROM auth.secret');
  const [row] = rows;
  if (row === undefined) throw new Error('the accounts have no secret');
  return row.value;
}
