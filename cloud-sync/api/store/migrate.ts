import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { withClient } from '../postgres/with-client';

/** Folder next to this module, or next to the bundle in a built service. */
const FOLDER = path.join(path.dirname(fileURLToPath(import.meta.url)), 'migrations');
/** Advisory lock number unused elsewhere in the database. */
const LOCK = 7_266_301;

export interface Migration {
  /** Counts up from 1 without gaps: `001-start.sql`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Error for a schema newer than this service: it must not be touched. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
  constructor(found: number, known: number) {
    super(
      `The database was written by a newer version of the service (schema ${found}; this one knows ${known}). Update this service; nothing was changed.`,
    );
  }
}

/**
 * Reads numbered files in order.
 *
 * @throws Error if a number is missing or duplicate
 */
export function readMigrations(folder: string = FOLDER): readonly Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const version = Number(/^(\d{3})-[a-z0-9-]+\.sql$/.exec(name)?.[1]);
    if (version !== index + 1)
      throw new Error(`The migrations in ${folder} do not count up: ${name} stands in place ${index + 1}.`);
    return { version, name, sql: readFileSync(path.join(folder, name), 'utf8') };
  });
}

/**
 * Migrates the database to the newest schema: all missing steps in one transaction, one process at a time.
 *
 * @throws NewerSchemaError
 */
export async function migrate(pool: pg.Pool, migrations: readonly Migration[] = readMigrations()): Promise<void> {
  await withClient(pool, true, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ found: number }>(
      'SELECT coalesce(max(version), 0) AS found FROM schema_versions',
    );
    const found = rows[0]?.found ?? 0;
    if (found > migrations.length) throw new NewerSchemaError(found, migrations.length);
    for (const { version, name, sql } of migrations.slice(found)) {
      await client.query(sql);
      await client.query('INSERT INTO schema_versions (version, name) VALUES ($1, $2)', [version, name]);
    }
    await client.query('COMMIT');
  });
}
