// `node scripts/record-version.mjs <checkout> <name>`: records a version for the tests of later ones. The checkout is a
// git worktree with packages installed; the recording goes to tests/fixtures/<name>.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT, SetupError, orExplain } from './setup.mjs';

const RECORDER = path.join('tests', 'support', 'version-recorder.ts');
const PROGRAM_MAX = 300_000;

await orExplain(async () => {
  const [checkout, name] = process.argv.slice(2);
  if (checkout === undefined || name === undefined)
    throw new SetupError('node scripts/record-version.mjs <checkout> <name>');
  const from = path.resolve(checkout);
  const out = path.join(ROOT, 'tests', 'fixtures', name);
  mkdirSync(out, { recursive: true });
  copyFileSync(path.join(ROOT, RECORDER), path.join(from, RECORDER));
  try {
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', RECORDER, out], { cwd: from, stdio: 'inherit' });
    if (status !== 0) throw new SetupError('The recording failed; its own words stand above.');
  } finally {
    rmSync(path.join(from, RECORDER), { force: true });
  }
  const program = brotliCompressSync(await tabletOf(from));
  if (program.length > PROGRAM_MAX)
    throw new SetupError(`The tablet's program would be ${program.length} bytes; at most ${PROGRAM_MAX} are kept.`);
  writeFileSync(path.join(out, 'tablet-program.mjs.br'), program);
  console.log(`Recorded in ${path.relative(ROOT, out)}.`);
});

/** Tablet of that version as one file for Node, with its packages. */
async function tabletOf(from) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: from,
    entryPoints: [path.join('tests', 'support', 'tablet.ts')],
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Substitutes for browser APIs are not part of the version.
    external: ['fake-indexeddb', 'exifr', 'ws', 'xmlhttprequest-ssl', 'bufferutil', 'utf-8-validate'],
    legalComments: 'inline',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outputFiles[0].contents;
}
