import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ProbePoint } from '../../../src/server/ops/probe';
import { bundle } from './bundle';
import { recordingFolder } from './recording';
import { runTraced } from './strace';

/** Planted fault of the edge, which the proof must detect. */
export type Defect =
  'none' | 'synchronous-normal' | 'no-folder-fsync' | 'no-blob-folder-fsync' | 'receipt-before-commit';

/** First line of the edge once it listens. */
export interface Ready {
  readonly pid: number;
  readonly url: string;
  readonly code: string;
}

/** Edge under strace. */
export interface TracedEdge extends Ready {
  /** Settles when it has ended, in any way. */
  readonly gone: Promise<number | null>;
  /** Ends it like Ctrl-C. @throws Error if it does not end with code 0 */
  stop(): Promise<void>;
  /** Ends it as a power cut ends a process; its writes stay in the kernel. */
  kill(): Promise<void>;
}

/** Error for an edge that ended before it listened; `killed` if a signal ended it, as a planted death does. */
export class EndedAtStart extends Error {
  constructor(
    readonly killed: boolean,
    said: string,
  ) {
    super(`The traced edge ended before it listened:\n${said}`);
  }
}

const STARTS_WITHIN_MS = 60_000;

/** Running boxes. */
const living = new Set<ChildProcess>();

/** Ends all boxes left by a failed recording. On SIGTERM strace ends the process that it started, too. */
export function endLiving(): void {
  for (const tracer of living) tracer.kill('SIGTERM');
}

/**
 * Starts the production edge on a recording's disk, as run number `run` of that recording.
 *
 * @throws EndedAtStart
 */
export async function startTracedEdge(
  folder: string,
  run: number,
  options: { defect?: Defect; killAtFsync?: number; diesAt?: ProbePoint } = {},
): Promise<TracedEdge> {
  const at = recordingFolder(folder);
  const program = await bundle('tests/faults/power-cut/edge-entry.ts');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    REEF_HOME: join(at.disk, 'home'),
    MIN_FREE_GB: '0',
    POWER_CUT_DEFECT: options.defect ?? 'none',
    POWER_CUT_EARLY: at.early,
    ...(options.diesAt === undefined ? {} : { POWER_CUT_DIES_AT: options.diesAt }),
  };
  const { tracer, ended } = runTraced([process.execPath, program], {
    traceFile: at.trace(run),
    env,
    cwd: folder,
    ...(options.killAtFsync === undefined ? {} : { killAtFsync: options.killAtFsync }),
  });
  living.add(tracer);
  void ended.finally(() => living.delete(tracer)).catch(() => undefined);
  let [out, err] = ['', ''];
  tracer.stderr?.on('data', (chunk: Buffer) => (err = (err + chunk.toString('utf8')).slice(-4000)));
  const ready = await new Promise<Ready>((settle, fail) => {
    const late = setTimeout(() => {
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
      fail(new EndedAtStart(code === null, err));
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
