import type { Database } from 'better-sqlite3';
import { pendingMigrations, readMigrations } from '../../src/server/database/migrations';

const MIGRATIONS = readMigrations(new URL('./edge-migrations', import.meta.url));

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Migrates the database to {@link SCHEMA_VERSION}, one transaction per step. @throws NewerSchemaError */
export function migrate(database: Database): void {
  const found = Number(database.pragma('user_version', { simple: true }));
  for (const { version, sql } of pendingMigrations(MIGRATIONS, found)) {
    database
      .transaction(() => {
        database.exec(sql);
        database.pragma(`user_version = ${version}`);
      })
      .immediate();
  }
}
