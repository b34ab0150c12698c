// Runs one entry of the project, for the npm commands.
import { spawn } from 'node:child_process';
import { build } from './build.mjs';
import { ROOT, exitOnSetupError, setup } from './setup.mjs';

/**
 * Prepares the machine, runs an entry with this command's arguments, passes signals on and exits with its code.
 *
 * @param entry from the root: a source (`.ts`), or a bundle in `dist`, which is built first if its sources changed
 * @param options `tests`: it needs the tools of the tests; `builds`: a source that needs the build; `env`: more settings
 */
export async function runScript(entry, { tests = false, builds = entry.startsWith('dist/'), env = {} } = {}) {
  const prepared = await exitOnSetupError(() => {
    const environment = setup({ tests });
    if (builds) build({ force: false, env: environment });
    return environment;
  });
  const flags = entry.endsWith('.ts') ? ['--import', 'tsx'] : ['--enable-source-maps'];
  const child = spawn(process.execPath, [...flags, entry, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...prepared, ...env },
  });
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      stopped = true;
      child.kill(signal);
    });
  child.once('exit', (code) => process.exit(code ?? (stopped ? 0 : 1)));
}
