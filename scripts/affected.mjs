// Checks what a change can reach: lint, types and the unit tests of the changed files, and browser tests of the screens they name.
//   npm run affected [-- <base>]    base: a commit; the merge base with origin/main unless given, HEAD~1 where there is none
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, exitOnSetupError, setup } from './setup.mjs';

const CODE = /\.(ts|tsx|mts|mjs|js)$/;
const FORMATTED = /\.(ts|tsx|mts|mjs|js|css)$/;
const E2E = 'tests/e2e';

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Commit that the change began at. */
function baseOf(given) {
  return given ?? git('merge-base', 'HEAD', 'origin/main') ?? git('rev-parse', 'HEAD~1') ?? 'HEAD';
}

/** Files that differ from the base, committed or not, and new ones; those that were deleted are left out. */
function changedSince(base) {
  const names = `${git('diff', '--name-only', base) ?? ''}\n${git('ls-files', '--others', '--exclude-standard') ?? ''}`;
  return [...new Set(names.split('\n'))].filter((name) => name !== '' && existsSync(path.join(ROOT, name)));
}

/** Browser tests that changed, and those named after a route or a feature that did. */
function browserTests(changed) {
  const all = readdirSync(path.join(ROOT, E2E), { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const screens = changed.flatMap(
    (name) => /^src\/(?:routes\/([a-z]+)[^/]*(?:\/|\.tsx$)|features\/([a-z-]+)\/)/.exec(name)?.slice(1) ?? [],
  );
  return all
    .filter((file) => changed.includes(`${E2E}/${file}`) || screens.some((word) => word && file.includes(word)))
    .map((file) => `${E2E}/${file}`);
}

const failed = [];

/** Runs one check and streams its output. */
async function check(name, args, env) {
  const began = performance.now();
  console.log(`\n── ${name}`);
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  if (status !== 0) failed.push(name);
  console.log(
    `${name}: ${status === 0 ? 'passed' : `failed (${status})`}, ${Math.round((performance.now() - began) / 1000)} s`,
  );
}

await exitOnSetupError(async () => {
  const base = baseOf(process.argv[2]);
  const changed = changedSince(base);
  if (changed.length === 0) return console.log(`Nothing differs from ${base}.`);
  const browsers = browserTests(changed);
  const env = setup({ tests: browsers.length > 0 });
  console.log(`${changed.length} files differ from ${base}.`);
  const code = changed.filter((name) => CODE.test(name));
  const formatted = changed.filter((name) => FORMATTED.test(name));
  if (formatted.length > 0)
    await check('format', [
      'node_modules/prettier/bin/prettier.cjs',
      '--check',
      '--ignore-path',
      'scripts/lint/prettierignore',
      ...formatted,
    ]);
  if (code.length > 0) {
    const eslint = ['node_modules/eslint/bin/eslint.js', '-c', 'scripts/lint/eslint.config.mjs', '--max-warnings', '0'];
    await check('lint', [...eslint, '--no-warn-ignored', ...code], env);
    await check('types', ['scripts/typecheck.mjs'], env);
    const vitest = ['node_modules/vitest/vitest.mjs', '-c', 'tests/vitest.config.ts', '--project'];
    const units = [...vitest.slice(1), 'unit', '--project', 'servers', '--project', 'integration'];
    await check('units', [vitest[0], 'related', '--run', ...units, '--passWithNoTests', ...code], env);
    if (browsers.length > 0) {
      await check('build', ['scripts/build.mjs'], env);
      await check('browser', [vitest[0], 'run', ...vitest.slice(1), 'e2e', ...browsers], env);
    }
  }
  console.log(
    `\nLeft out: the simulator, the fault tests, the voyage, the browser tests beside ${browsers.length > 0 ? browsers.join(', ') : 'none'}; \`npm test\` runs them.`,
  );
  console.log(failed.length === 0 ? 'All passed.' : `Failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});
