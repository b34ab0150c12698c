import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Starts the program, and kills its group as soon as the pipe to this process closes. */
const GUARD = '"$@" < /dev/null & read -r end; kill -KILL 0';

/** Program with all that it starts; it ends with this process, however that ends. */
export interface GuardedProcess {
  /** The program's file descriptor 3. */
  readonly reports: Readable;
  /** Ends the program and all that it started. */
  readonly end: () => Promise<void>;
}

export function startGuarded(command: string, args: readonly string[], env: NodeJS.ProcessEnv): GuardedProcess {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', command, ...args], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    env,
    detached: true,
  });
  const gone = once(guard, 'close');
  return {
    reports: guard.stdio[3] as Readable,
    end: async () => {
      guard.stdin?.end();
      await gone;
    },
  };
}
