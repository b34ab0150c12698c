// Builds app, servers and chart (dist/app, dist/edge, dist/cloud, dist/tiles) if their sources changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFolder } from './compress.mjs';
import { ROOT, SetupError, exitOnSetupError, setup } from './setup.mjs';

const SOURCES = [
  'src',
  'sw',
  'public',
  'edge-server',
  'cloud-sync',
  'scripts/build.mjs',
  'scripts/build-servers.mjs',
  'scripts/compress.mjs',
  'scripts/first-reef.mjs',
  'scripts/tiles.mjs',
  'vite.config.ts',
  'package-lock.json',
];
const STAMP = path.join(ROOT, 'dist', '.built');

/**
 * Builds `dist`; with `force: false` only if sources changed. The stamp comes last: an interrupted build runs again.
 * @throws SetupError
 */
export function build({ force = true, env = process.env } = {}) {
  const sources = hashSources(env);
  if (!force && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  rmSync(STAMP, { force: true });
  step('the app', [path.join('node_modules', 'vite', 'bin', 'vite.js'), 'build'], env);
  compressFolder(path.join(ROOT, 'dist', 'app'));
  step('the servers', [path.join('scripts', 'build-servers.mjs')], env);
  step('the chart', [path.join('scripts', 'tiles.mjs')], env);
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, sources);
}

function step(what, args, env) {
  console.log(`Building ${what}.`);
  const { status, output } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...env, NODE_ENV: 'production' },
  });
  if (status === 0) return;
  console.error(output.filter(Boolean).join('\n'));
  throw new SetupError(`Building ${what} failed; see its output above.`);
}

function hashSources(env) {
  const hash = createHash('sha256').update(process.version);
  // Settings compiled into the app.
  for (const name of Object.keys(env)
    .filter((each) => each.startsWith('VITE_'))
    .sort())
    hash.update(`\0${name}=${env[name]}`);
  for (const file of SOURCES.flatMap((source) => filesUnder(path.join(ROOT, source))).sort()) {
    hash.update(`\0${path.relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesUnder(place) {
  if (!existsSync(place)) return [];
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
    /\.test\.tsx?$/.test(entry.name) ? [] : filesUnder(path.join(place, entry.name)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await exitOnSetupError(() => build({ env: setup() }));
}
