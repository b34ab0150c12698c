// Everything that must hold, on a fresh machine: set-up, lint, types, build, then the tests. Each check is counted, nothing
// is skipped, and the last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT, SetupError, setup } from './setup.mjs';

const RESULTS = path.join(ROOT, '.cache', 'test');
/** Projects of tests/vitest.config.ts, and whether they run what `dist` holds. */
const PROJECTS = [
  { name: 'unit', built: false },
  { name: 'faults', built: true },
  { name: 'e2e', built: true },
];

const TALLY = path.join(RESULTS, 'tally.ndjson');

const count = { passed: 0, failed: 0 };
const notes = [];

function fail(what) {
  count.failed++;
  notes.push(what);
}

/** A step that passes or fails as one. */
function step(name, args, env) {
  console.log(`\n── ${name}`);
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  if (status === 0) count.passed++;
  else fail(`${name} failed`);
  return status === 0;
}

/** A project of tests. A file that does not load, a skipped test, a crash and an empty project all count as failed. */
function project(name, env) {
  console.log(`\n── tests: ${name}`);
  const results = path.join(RESULTS, `${name}.json`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '-c', 'tests/vitest.config.ts', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  if (!existsSync(results)) return fail(`tests: ${name} ended with code ${status} and wrote no results`);
  const before = count.failed;
  for (const file of JSON.parse(readFileSync(results, 'utf8')).testResults) {
    const place = path.relative(ROOT, file.name);
    for (const test of file.assertionResults) {
      if (test.status === 'passed') count.passed++;
      else fail(`${place}: ${test.fullName}${test.status === 'failed' ? '' : ` (${test.status}: a test that does not run counts as failed)`}`);
    }
    if (file.status !== 'passed' && !file.assertionResults.some((test) => test.status === 'failed')) fail(`${place} could not run`);
  }
  if (status !== 0 && count.failed === before) fail(`tests: ${name} ended with code ${status} though no test failed`);
  return undefined;
}

function main() {
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const env = { ...setup({ tests: true }), TALLY };
  step('lint', ['node_modules/eslint/bin/eslint.js', '-c', 'scripts/lint/eslint.config.mjs', '--max-warnings', '0', '.'], env);
  step('types', ['scripts/typecheck.mjs'], env);
  const built = step('build', ['scripts/build.mjs'], env);
  step('voyage', ['--import', 'tsx', 'tests/voyage/voyage.ts'], env);
  for (const { name, built: needsBuild } of PROJECTS) {
    if (needsBuild && !built) fail(`tests: ${name} not run, because the build failed`);
    else project(name, env);
  }
}

/** How many kills, cuts and disk states the proofs ran, added up over their files. */
function whatItRan() {
  const sums = new Map();
  const lines = existsSync(TALLY) ? readFileSync(TALLY, 'utf8').split('\n').filter((line) => line !== '') : [];
  for (const { what, count } of lines.map((line) => JSON.parse(line))) sums.set(what, (sums.get(what) ?? 0) + count);
  return [...sums].map(([what, sum]) => `${sum.toLocaleString('en-AU')} ${what}`).join(', ');
}

try {
  main();
} catch (error) {
  fail(error instanceof SetupError ? error.message : `the test script itself failed: ${error?.stack ?? error}`);
}
if (notes.length > 0) console.log(`\nFailed:\n${notes.map((note) => `  ${note}`).join('\n')}`);
const ran = whatItRan();
if (ran !== '') console.log(`\nThe proofs ran ${ran}.`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
