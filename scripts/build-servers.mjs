// Bundles the servers into dist: our code as one file per entry; packages stay in node_modules.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Edge: server, supervisor, image variants, demo. */
export const EDGE_ENTRIES = {
  server: 'edge-server/server.ts',
  supervisor: 'edge-server/supervisor.ts',
  'variant-worker': 'src/server/variants/variant-worker.ts',
  demo: 'edge-server/demo/main.ts',
};

export const BRIDGE_ENTRIES = { server: 'cloud-sync/bridge/server.ts', supervisor: 'cloud-sync/bridge/supervisor.ts' };

/** Cloud: server, supervisor, image variants. */
export const CLOUD_ENTRIES = {
  server: 'cloud-sync/api/server.ts',
  supervisor: 'cloud-sync/api/supervisor.ts',
  'variant-worker': 'src/server/variants/variant-worker.ts',
};

/** Tests use a folder of their own. */
export async function buildEdgeServer(outdir = path.join(ROOT, 'dist', 'edge')) {
  await bundle(EDGE_ENTRIES, outdir);
  return outdir;
}

export async function buildBridge(outdir = path.join(ROOT, 'dist', 'bridge')) {
  await bundle(BRIDGE_ENTRIES, outdir);
  return outdir;
}

/** Includes the database migrations. */
export async function buildCloudServer(outdir = path.join(ROOT, 'dist', 'cloud')) {
  await bundle(CLOUD_ENTRIES, outdir);
  rmSync(path.join(outdir, 'migrations'), { recursive: true, force: true });
  cpSync(path.join(ROOT, 'cloud-sync', 'api', 'store', 'migrations'), path.join(outdir, 'migrations'), {
    recursive: true,
  });
  return outdir;
}

async function bundle(entryPoints, outdir) {
  await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildEdgeServer();
  await buildBridge();
  await buildCloudServer();
}
