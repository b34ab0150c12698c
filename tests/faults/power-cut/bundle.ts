import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PROGRAM, WITH_PACKAGES, copyMigrations } from '../../../scripts/build-servers.mjs';

const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Bundles by entry: made once per test process, though a recording starts the edge many times. */
const made = new Map<string, Promise<string>>();

/**
 * Bundles a TypeScript file for plain Node, so that no compiler files and threads appear in a trace.
 *
 * @param entry from the project's top
 * @returns path of the program, from where packages are found
 */
export function bundle(entry: string): Promise<string> {
  const known = made.get(entry);
  if (known !== undefined) return known;
  // Path of this process: test files run in parallel.
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
    ...PROGRAM,
    ...WITH_PACKAGES,
    outExtension: {},
    sourcemap: 'inline',
  }).then(() => {
    copyMigrations('edge', path.dirname(outfile));
    return outfile;
  });
  made.set(entry, making);
  return making;
}
