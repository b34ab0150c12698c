import { createHash } from 'node:crypto';
import type pg from 'pg';

/** File below `/cdn` that anyone gets. */
interface PublicFile {
  /** SHA-256 of the body, lower-case hex: also its strong ETag. */
  readonly sha256: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly updatedAt: Date;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const CSV_TYPE = 'text/csv; charset=utf-8';

/**
 * Stores a public file; the time of one with the same bytes is not changed.
 *
 * @param path below `/cdn/`, such as `map/gbr/features.json`
 * @returns true if its bytes changed
 */
export async function publishFile(
  pool: pg.Pool | pg.PoolClient,
  path: string,
  contentType: string,
  body: string | Uint8Array,
): Promise<boolean> {
  const bytes = Buffer.from(body);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { rowCount } = await pool.query(
    `INSERT INTO public_files AS f (path, sha256, content_type, body) VALUES ($1, $2, $3, $4)
     ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256, content_type = excluded.content_type, body = excluded.body, updated_at = now()
     WHERE f.sha256 <> excluded.sha256 OR f.content_type <> excluded.content_type`,
    [path, sha256, contentType, bytes],
  );
  return rowCount === 1;
}

export async function removePublicFile(pool: pg.Pool | pg.PoolClient, path: string): Promise<void> {
  await pool.query('DELETE FROM public_files WHERE path = $1', [path]);
}

/** @param path below `/cdn/` */
export async function readPublicFile(pool: pg.Pool, path: string): Promise<PublicFile | undefined> {
  const { rows } = await pool.query<PublicFile>({
    name: 'public-file',
    text: 'SELECT sha256, content_type AS "contentType", body, updated_at AS "updatedAt" FROM public_files WHERE path = $1',
    values: [path],
  });
  return rows[0];
}
