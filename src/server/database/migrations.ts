import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Step of a database's schema: a numbered SQL file (`001-start.sql`) that runs once. It never changes after a release. */
export interface Migration {
  /** Counts up from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Error for a store with a newer schema than this server knows: it must not be touched, least of all replaced. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
  constructor(found: number, known: number) {
    super(
      `The store was written by a newer version (schema ${found}; this one knows ${known}). Update this server; nothing was changed.`,
    );
  }
}

/**
 * Reads the migrations of a store in order.
 *
 * @param folder next to the store's module, and next to the bundle in a built server (`scripts/build-servers.mjs`)
 * @throws Error if a number is missing or duplicate
 */
export function readMigrations(folder: URL): readonly Migration[] {
  const files = fileURLToPath(folder);
  const names = readdirSync(files)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const version = Number(/^(\d{3})-[a-z0-9-]+\.sql$/.exec(name)?.[1]);
    if (version !== index + 1)
      throw new Error(`The migrations in ${files} do not count up: ${name} has place ${index + 1}.`);
    return { version, name, sql: readFileSync(path.join(files, name), 'utf8') };
  });
}

/**
 * Returns the steps that a store still needs.
 *
 * @param found version of the store; 0 if it is new
 * @throws NewerSchemaError
 */
export function pendingMigrations(migrations: readonly Migration[], found: number): readonly Migration[] {
  if (found > migrations.length) throw new NewerSchemaError(found, migrations.length);
  return migrations.slice(found);
}
