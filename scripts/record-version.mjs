// `node scripts/record-version.mjs <checkout> <name> [vessel|cloud]`: records a version of the project for the tests of later ones:
// tablet and box, the cloud, or by default both. The checkout is a git worktree of that version with its packages installed; the
// recording goes to tests/fixtures/<name>.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT, SetupError, exitOnSetupError } from './setup.mjs';

const RECORDERS = { vessel: 'version-recorder.ts', cloud: 'cloud-version-recorder.ts' };
/** A stored program may not be larger, bytes. */
const PROGRAM_MAX = 300_000;

await exitOnSetupError(async () => {
  const [checkout, name, only] = process.argv.slice(2);
  if (checkout === undefined || name === undefined || (only !== undefined && RECORDERS[only] === undefined))
    throw new SetupError('node scripts/record-version.mjs <checkout> <name> [vessel|cloud]');
  const from = path.resolve(checkout);
  const out = path.join(ROOT, 'tests', 'fixtures', name);
  mkdirSync(out, { recursive: true });
  for (const part of only === undefined ? Object.keys(RECORDERS) : [only]) {
    run(path.join('tests', 'support', 'recorded', RECORDERS[part]), from, out);
    if (part === 'vessel') await recordProgram(from, out);
  }
  console.log(`Recorded in ${path.relative(ROOT, out)}.`);
});

/** Runs a recorder of this checkout inside another one. */
function run(recorder, from, out) {
  copyFileSync(path.join(ROOT, recorder), path.join(from, recorder));
  try {
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', recorder, out], { cwd: from, stdio: 'inherit' });
    if (status !== 0) throw new SetupError('The recording failed; its output is above.');
  } finally {
    rmSync(path.join(from, recorder), { force: true });
  }
}

async function recordProgram(from, out) {
  const program = brotliCompressSync(await bundleTablet(from));
  if (program.length > PROGRAM_MAX)
    throw new SetupError(`The tablet's program would be ${program.length} bytes; the limit is ${PROGRAM_MAX}.`);
  writeFileSync(path.join(out, 'tablet-program.mjs.br'), program);
}

/** The tablet of that version as one file that runs in Node: its store, sender and sockets, with the packages they were built on. */
async function bundleTablet(from) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: from,
    entryPoints: [path.join('tests', 'support', 'tablet', 'tablet.ts')],
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Stand-ins for a browser's IndexedDB, WebSocket and files are not part of the version.
    external: ['fake-indexeddb', 'exifr', 'ws', 'xmlhttprequest-ssl', 'bufferutil', 'utf-8-validate'],
    legalComments: 'inline',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outputFiles[0].contents;
}
