import path from 'node:path';
import { PROGRAM, WITH_PACKAGES } from '../../../scripts/build-servers.mjs';
import { sharedBundle } from '../../support/servers/bundle';

/**
 * Bundles a TypeScript file for plain Node, so that no compiler files and threads appear in a trace.
 *
 * @param entry from the project's top
 * @returns path of the program, from where packages are found
 */
export async function bundle(entry: string): Promise<string> {
  const name = path.basename(entry, '.ts');
  const folder = await sharedBundle({
    name: `power-cut-${name}`,
    options: { ...PROGRAM, ...WITH_PACKAGES, entryPoints: { [name]: entry }, sourcemap: 'inline' },
    migrations: 'edge',
  });
  return path.join(folder, `${name}.mjs`);
}
