import { randomBytes } from 'node:crypto';
import type pg from 'pg';

/** Secret shared by all processes of the service, created on first use. */
export async function sharedSecret(pool: pg.Pool, name: string): Promise<Buffer> {
  await pool.query('INSERT INTO shared_settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    randomBytes(32).toString('base64url'),
  ]);
  const { rows } = await pool.query<{ value: string }>('SELECT value FROM shared_settings WHERE name = $1', [name]);
  return Buffer.from(rows[0]?.value ?? '', 'base64url');
}
