// Bundles the servers into dist: our own code as one file an entry, packages stay where npm put them.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The entries of the edge: the process that listens, the one that watches it, and the thread that makes pictures; beside them the demo's filling. */
export const EDGE_ENTRIES = {
  server: 'edge-server/server.ts',
  supervisor: 'edge-server/supervisor.ts',
  'variant-worker': 'src/server/variants/variant-worker.ts',
  demo: 'edge-server/demo/main.ts',
};

/** The entries of the bridge: the process that works and the one that watches it. */
export const BRIDGE_ENTRIES = { server: 'cloud-sync/bridge/server.ts', supervisor: 'cloud-sync/bridge/supervisor.ts' };

/** The entries of the cloud service: the process that listens, the one that watches it, and the thread that makes pictures. */
export const CLOUD_ENTRIES = {
  server: 'cloud-sync/api/server.ts',
  supervisor: 'cloud-sync/api/supervisor.ts',
  'variant-worker': 'src/server/variants/variant-worker.ts',
};

/** Bundles the edge into a folder; tests bundle into one of their own. */
export async function buildEdgeServer(outdir = path.join(ROOT, 'dist', 'edge')) {
  await bundle(EDGE_ENTRIES, outdir);
  return outdir;
}

/** Bundles the bridge into a folder. */
export async function buildBridge(outdir = path.join(ROOT, 'dist', 'bridge')) {
  await bundle(BRIDGE_ENTRIES, outdir);
  return outdir;
}

/** Bundles the cloud service into a folder, with the migrations of its database beside it. */
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
