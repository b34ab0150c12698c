// Bundles the servers into dist: our own code as one file an entry, packages stay where npm put them.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The entries of the edge: the process that listens, the one that watches it, and the thread that makes pictures; beside them the demo's filling. */
export const EDGE_ENTRIES = { server: 'edge-server/server.ts', supervisor: 'edge-server/supervisor.ts', 'variant-worker': 'src/server/variant-worker.ts', demo: 'edge-server/demo/main.ts' };

/** Bundles the edge into a folder; tests bundle into one of their own. */
export async function buildEdgeServer(outdir = path.join(ROOT, 'dist', 'edge')) {
  await build({
    absWorkingDir: ROOT,
    entryPoints: EDGE_ENTRIES,
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
  return outdir;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildEdgeServer();
