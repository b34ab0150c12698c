import { join } from 'node:path';
import { bundle } from './bundle';
import { recordingFolder } from './recording';
import { runTraced } from './strace';

/** What is wrong with the edge on purpose, so that the proof is seen to notice it. */
export type Defect = 'none' | 'synchronous-normal' | 'no-folder-fsync' | 'no-blob-folder-fsync' | 'receipt-before-commit';

/** What the edge says on its first line, once it listens. */
export interface Ready {
  readonly pid: number;
  readonly url: string;
  readonly code: string;
}

/** The edge under strace. */
export interface TracedEdge extends Ready {
  /** Settles when it has ended, however. */
  readonly gone: Promise<number | null>;
  /** Ends it as Ctrl-C does. @throws Error when it does not end with code 0 */
  stop(): Promise<void>;
  /** Ends it as a power cut ends a process; what it wrote stays with the kernel. */
  kill(): Promise<void>;
}

const STARTS_WITHIN_MS = 60_000;

/** Starts the production edge on a recording's disk, run number `run` of that recording. */
export async function startTracedEdge(folder: string, run: number, options: { defect?: Defect; killAtFsync?: number } = {}): Promise<TracedEdge> {
  const at = recordingFolder(folder);
  const program = await bundle('tests/faults/power-cut/edge-entry.ts');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    REEF_HOME: join(at.disk, 'home'),
    MIN_FREE_GB: '0',
    POWER_CUT_DEFECT: options.defect ?? 'none',
    POWER_CUT_EARLY: at.early,
  };
  const { tracer, ended } = runTraced([process.execPath, program], { traceFile: at.trace(run), env, cwd: folder, ...(options.killAtFsync === undefined ? {} : { killAtFsync: options.killAtFsync }) });
  let [out, err] = ['', ''];
  tracer.stderr?.on('data', (chunk: Buffer) => (err = (err + chunk.toString('utf8')).slice(-4000)));
  const ready = await new Promise<Ready>((settle, fail) => {
    const late = setTimeout(() => {
      // At SIGTERM strace ends the process that it started, too.
      tracer.kill('SIGTERM');
      fail(new Error(`The traced edge did not start:\n${err}`));
    }, STARTS_WITHIN_MS);
    tracer.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
      const line = /^\{"pid".*\}$/m.exec(out)?.[0];
      if (line === undefined) return;
      clearTimeout(late);
      settle(JSON.parse(line) as Ready);
    });
    void ended.then((code) => {
      clearTimeout(late);
      fail(new Error(`The traced edge ended with ${code} before it listened:\n${err}`));
    }, fail);
  });
  return {
    ...ready,
    gone: ended,
    async stop() {
      process.kill(ready.pid, 'SIGTERM');
      const code = await ended;
      if (code !== 0) throw new Error(`The traced edge ended with ${code}:\n${err}`);
    },
    async kill() {
      process.kill(ready.pid, 'SIGKILL');
      await ended;
    },
  };
}
