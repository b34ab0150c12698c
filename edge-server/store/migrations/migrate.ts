import type { Database } from 'better-sqlite3';
import { start } from './001-start';
import { freed } from './002-freed';
import { authorRoles } from './003-author-roles';
import type { Migration } from './migration';

const MIGRATIONS: readonly Migration[] = [start, freed, authorRoles];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Error for a file with a newer schema than this server knows: it must not be touched, least of all replaced as broken.
 */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
  constructor(found: number) {
    super(
      `The store was written by a newer version (schema ${found}; this one knows ${SCHEMA_VERSION}). Update this server; nothing was changed.`,
    );
  }
}

/** Migrates the database to {@link SCHEMA_VERSION}, one transaction per step. @throws NewerSchemaError */
export function migrate(database: Database): void {
  const found = Number(database.pragma('user_version', { simple: true }));
  if (found > SCHEMA_VERSION) throw new NewerSchemaError(found);
  for (const { version, sql } of MIGRATIONS.slice(found)) {
    database
      .transaction(() => {
        database.exec(sql);
        database.pragma(`user_version = ${version}`);
      })
      .immediate();
  }
}
