import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { NewerSchemaError, pendingMigrations, readMigrations } from './migrations';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-migrations-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(path.join(folder, name), `-- ${name}`);
};

describe('protocol: migrations', () => {
  it('protocol: numbered files are read in order, and a gap is refused', () => {
    write('002-more.sql', '001-start.sql', 'README.md');
    const migrations = readMigrations(pathToFileURL(folder));
    expect(migrations.map(({ version, name, sql }) => [version, name, sql])).toEqual([
      [1, '001-start.sql', '-- 001-start.sql'],
      [2, '002-more.sql', '-- 002-more.sql'],
    ]);
    expect(pendingMigrations(migrations, 1).map(({ version }) => version)).toEqual([2]);
    expect(() => pendingMigrations(migrations, 3)).toThrow(NewerSchemaError);
    write('004-gap.sql');
    expect(() => readMigrations(pathToFileURL(folder))).toThrow(/do not count up: 004-gap.sql has place 3/);
  });
});
