import { Backoff } from '../../base/backoff';
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { EXIT_SETTINGS } from './environment';
import { THREAD_POOL_ENV } from './thread-pool';

const RESTART_DELAYS = { firstMs: 500, maxMs: 30_000 };
/** Run time after which the failure count resets, ms. */
const HEALTHY_MS = 60_000;

/**
 * Keeps the caller's server running (protocol, "Receipts and keys": "stop, exit, recover at boot under a supervisor
 * with backoff"). The server ends with this process, because their channel closes.
 *
 * @param from the caller's `import.meta.url`: a built caller starts `server.mjs` in its folder, a source `server.ts`
 * @param flags Node options for the server's process
 */
export function supervise(from: string, flags: readonly string[] = []): void {
  const log = pino({ name: 'supervisor' }, pino.destination({ dest: 1, sync: true }));
  const built = from.endsWith('.mjs');
  const program = path.join(path.dirname(fileURLToPath(from)), built ? 'server.mjs' : 'server.ts');
  let child: ChildProcess | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let ending = false;
  const backoff = new Backoff(RESTART_DELAYS);

  const start = (): void => {
    waiting = undefined;
    const startedAt = performance.now();
    child = fork(program, process.argv.slice(2), {
      stdio: 'inherit',
      env: { ...THREAD_POOL_ENV, ...process.env },
      execArgv: [...flags, ...(built ? ['--enable-source-maps'] : process.execArgv)],
    });
    child.on('error', (error) => log.error({ err: error }, 'the server process could not be started'));
    child.on('exit', (code, signal) => {
      child = undefined;
      if (code === 0 || code === EXIT_SETTINGS) process.exit(code);
      if (ending) process.exit(code ?? 0);
      if (performance.now() - startedAt >= HEALTHY_MS) backoff.reset();
      const waitMs = backoff.next();
      log.error({ code, signal, waitMs }, 'the server ended; it is started again');
      waiting = setTimeout(start, waitMs);
    });
  };

  const end = (signal: 'SIGTERM' | 'SIGINT'): void => {
    ending = true;
    if (waiting !== undefined) {
      clearTimeout(waiting);
      process.exit(0);
    }
    child?.kill(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal));
  // The process that started this one was killed: nothing else would stop it.
  if (process.send !== undefined) process.on('disconnect', () => end('SIGTERM'));
  start();
}
