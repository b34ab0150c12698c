// Runs all checks on a fresh machine: set-up, lint, types, build, tests. None is skipped; the last line is `N passed, N
// failed`.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT, SetupError, setupWhileCompiling } from './setup.mjs';

const RESULTS = path.join(ROOT, '.cache', 'test');
/** Niceness of the background project. */
const SIMULATOR_NICENESS = 19;
/** Niceness of checks that run while packages compile: all tests wait for the compiler. */
const CHECK_NICENESS = 5;

const FAILURE_TEXT_MAX = 1_500;
const TALLY = path.join(RESULTS, 'tally.ndjson');

const count = { passed: 0, failed: 0 };
const notes = [];

function fail(what) {
  count.failed++;
  notes.push(what);
}

/** Runs a script of the project. Returns true if it passed. */
async function step(name, args, env, { niceness = 0 } = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env });
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status, signal) => resolve(signal ?? status));
  });
  console.log(`\n── ${name} (${seconds(began)})`);
  process.stdout.write(Buffer.concat(output));
  if (code === 0) count.passed++;
  else fail(`${name} failed (${code})`);
  return code === 0;
}

/** Start of a failure message: the end of a long run shows the cause. */
const failureText = (test) => {
  const output = stripVTControlCharacters(test.failureMessages?.join('\n') ?? '').slice(0, FAILURE_TEXT_MAX);
  return output === '' ? '' : `\n${output.replace(/^/gm, '    ')}`;
};

const seconds = (began) => `${Math.round((performance.now() - began) / 1000)} s`;

/**
 * Runs a test project. Files that do not load, skipped tests, crashes and empty projects count as failed.
 *
 * @param inBackground runs beside other projects: its output comes at the end
 * @param niceness priority of its processes
 */
async function project(name, env, { inBackground = false, niceness = 0 } = {}) {
  const results = path.join(RESULTS, `${name}.json`);
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '-c',
    'tests/vitest.config.ts',
    '--project',
    name,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
  ];
  if (!inBackground) console.log(`\n── tests: ${name}`);
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', inBackground ? 'pipe' : 'inherit', inBackground ? 'pipe' : 'inherit'],
    env,
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes));
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  if (inBackground) console.log(`\n── tests: ${name}`);
  process.stdout.write(Buffer.concat(output));
  const files = resultsIn(results);
  if (files === undefined) return fail(`tests: ${name} ended with code ${status} and wrote no results`);
  let failed = 0;
  const failing = (what) => {
    failed++;
    fail(what);
  };
  for (const file of files) {
    const place = path.relative(ROOT, file.name);
    for (const test of file.assertionResults) {
      if (test.status === 'passed') count.passed++;
      else
        failing(
          `${place}: ${test.fullName}${test.status === 'failed' ? failureText(test) : ` (${test.status}: a test that does not run counts as failed)`}`,
        );
    }
    if (file.status !== 'passed' && !file.assertionResults.some((test) => test.status === 'failed'))
      failing(`${place} could not run`);
  }
  if (status !== 0 && failed === 0) fail(`tests: ${name} ended with code ${status} though no test failed`);
  return undefined;
}

/** Results of each test file; undefined if they are missing or cut off. */
function resultsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return undefined;
  }
}

async function main() {
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const { env: prepared, compiled } = setupWhileCompiling();
  const env = { ...prepared, TALLY };
  const check = (name, ...args) => step(name, args, env, { niceness: CHECK_NICENESS });
  const building = step('build', ['scripts/build.mjs'], env);
  const lint = ['-c', 'scripts/lint/eslint.config.mjs', '--max-warnings', '0', '.'];
  const format = ['--check', '--ignore-path', 'scripts/lint/prettierignore', '**/*.{ts,tsx,mts,mjs,js,css}'];
  const checks = [
    building.then(() => check('lint', 'node_modules/eslint/bin/eslint.js', ...lint)),
    check('types', 'scripts/typecheck.mjs').then(() =>
      check('format', 'node_modules/prettier/bin/prettier.cjs', ...format),
    ),
  ];
  await compiled.catch(async (error) => {
    await Promise.all(checks);
    throw error;
  });
  const isBuilt = await building;
  // Browser and fault tests run the build in `dist`.
  const built = (name, how) =>
    isBuilt ? project(name, env, how) : fail(`tests: ${name} not run, because the build failed`);
  // Each project waits for something: the simulator uses that time of all others, fault tests and engines that of
  // their neighbours.
  const simulator = project('simulation', env, { inBackground: true, niceness: SIMULATOR_NICENESS });
  await Promise.all([step('voyage', ['--import', 'tsx', 'tests/voyage/voyage.ts'], env), project('unit', env)]);
  const faults = built('faults', { inBackground: true });
  await project('servers', env);
  await Promise.all([project('integration', env), built('engines', { inBackground: true })]);
  await built('e2e');
  await Promise.all([faults, simulator, ...checks]);
}

function tallyText() {
  const sums = new Map();
  const lines = existsSync(TALLY)
    ? readFileSync(TALLY, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
  for (const { what, count } of lines.map((line) => JSON.parse(line))) sums.set(what, (sums.get(what) ?? 0) + count);
  return [...sums].map(([what, sum]) => `${sum.toLocaleString('en-AU')} ${what}`).join(', ');
}

try {
  await main();
} catch (error) {
  fail(error instanceof SetupError ? error.message : `the test script itself failed: ${error?.stack ?? error}`);
}
if (notes.length > 0) console.log(`\nFailed:\n${notes.map((note) => `  ${note}`).join('\n')}`);
const ran = tallyText();
if (ran !== '') console.log(`\nThe proofs ran ${ran}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
