import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { secretFile } from './secret-file';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-secret-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('protocol, settings: a secret is created once and readable by its owner only', () => {
  const file = path.join(folder, 'one', 'secret');
  const made = secretFile(file, null);
  expect(made).toMatch(/^[0-9A-Za-z_-]{32}$/);
  expect(secretFile(file, null)).toBe(made);
  expect(secretFile(file, 'given')).toBe('given');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(file))).toEqual(['secret']);
});

it('protocol, settings: an empty file, as after a full disk, is filled', () => {
  const file = path.join(folder, 'empty');
  writeFileSync(file, '');
  const made = secretFile(file, null);
  expect(made).not.toBe('');
  expect(secretFile(file, null)).toBe(made);
});

it('protocol, settings: processes that start together agree on one secret', async () => {
  const file = path.join(folder, 'together');
  const module = fileURLToPath(new URL('secret-file.ts', import.meta.url));
  const script = `import(${JSON.stringify(module)}).then(({ secretFile }) => process.stdout.write(secretFile(${JSON.stringify(file)}, null)))`;
  const said = await Promise.all(
    Array.from(
      { length: 3 },
      async () => (await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', script])).stdout,
    ),
  );
  expect(new Set(said).size).toBe(1);
  expect(said[0]).toMatch(/^[0-9A-Za-z_-]{32}$/);
});
