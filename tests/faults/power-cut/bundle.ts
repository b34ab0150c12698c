import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { copyMigrations } from '../../../scripts/build-servers.mjs';

const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** By entry: a program is made once a test process, though the edge of a recording is started many times. */
const made = new Map<string, Promise<string>>();

/**
 * Makes a program for plain Node of a TypeScript file, so that no compiler's files and threads stand in a trace.
 *
 * @param entry from the project's top
 * @returns where the program lies; packages are found from there
 */
export function bundle(entry: string): Promise<string> {
  const known = made.get(entry);
  if (known !== undefined) return known;
  // A place of this process: test files run side by side.
  const outfile = path.join(
    TOP,
    'node_modules',
    '.cache',
    'power-cut',
    `${process.pid}`,
    `${path.basename(entry, '.ts')}.mjs`,
  );
  const making = build({
    entryPoints: [path.join(TOP, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  }).then(() => {
    copyMigrations('edge', path.dirname(outfile));
    return outfile;
  });
  made.set(entry, making);
  return making;
}
