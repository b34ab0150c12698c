import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/**
 * Makes a program for plain Node of a TypeScript file, so that no compiler's files and threads stand in a trace.
 *
 * @param entry from the project's top
 * @returns where the program lies; packages are found from there
 */
export async function bundle(entry: string): Promise<string> {
  const outfile = path.join(TOP, 'node_modules', '.cache', 'power-cut', `${path.basename(entry, '.ts')}.mjs`);
  await build({ entryPoints: [path.join(TOP, entry)], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external', sourcemap: 'inline', logLevel: 'warning' });
  return outfile;
}
