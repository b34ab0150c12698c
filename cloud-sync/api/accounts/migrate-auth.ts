import type pg from 'pg';
import { readMigrations } from '../../../src/server/database/migrations';
import { migrate } from '../postgres/migrate';

/**
 * Migrates schema `auth`. `user`, `session`, `account`, `verification` and `jwks` have the names and columns of the
 * accounts library of version 1. Sessions, single-use tokens and credentials are stored as hashes, but the signing keys
 * and the secret that encrypts them are here: treat a copy as a secret.
 *
 * @throws NewerSchemaError
 */
export async function migrateAuth(pool: pg.Pool): Promise<void> {
  await migrate(pool, readMigrations(new URL('./account-migrations', import.meta.url)), {
    table: 'auth.schema_version',
    create:
      'CREATE SCHEMA IF NOT EXISTS auth; CREATE TABLE IF NOT EXISTS auth.schema_version (version integer PRIMARY KEY)',
    columns: ['version'],
    lock: 4_207_001,
  });
}
