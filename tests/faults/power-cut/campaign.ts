import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, existsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle';

/** Work of one worker. */
export interface Task {
  readonly recording: string;
  readonly seed: number;
  readonly shard: number;
  readonly shards: number;
  /** In-memory folder for rebuilt disks. */
  readonly workshop: string;
  /** Interval in distinct disks at which the whole edge is started. */
  readonly bootEvery: number;
  /** Cuts only after this event, and only every n-th of them. */
  readonly from: number;
  readonly every: number;
}

/** Disk without something receipted, or on which the edge does not start. */
export interface Violation {
  readonly state: number;
  readonly event: number;
  readonly problems: readonly string[];
  /** Fate of each pending change, as text. */
  readonly fates: readonly string[];
}

/** Progress report of a worker after every few disks. */
export interface Progress {
  readonly states: number;
  readonly disks: readonly string[];
  readonly boots: number;
  readonly owed: number;
  readonly extremesDone: boolean;
  readonly violations: readonly Violation[];
}

export interface CampaignResult {
  readonly seed: number;
  readonly states: number;
  /** Disks that differ in a name or a byte. */
  readonly disks: number;
  /** Number of disks on which the whole edge was started. */
  readonly boots: number;
  /** Disks times the receipts owed on them: number of presence checks. */
  readonly owed: number;
  readonly violations: readonly Violation[];
  readonly seconds: number;
}

export interface CampaignOptions {
  readonly recording: string;
  readonly seed: number;
  /** Minimum number of distinct disks to check; the extremes of the cuts are always checked. */
  readonly disks: number;
  readonly bootEvery: number;
  /** Number of violations at which it ends. */
  readonly violations: number;
  /** Cuts only after this event; absent: all. */
  readonly from?: number;
  /** Interval of cuts, for a recording similar to another; absent: each. */
  readonly every?: number;
  /** Processes; absent: as many as the machine has work for. */
  readonly workers?: number;
}

/** One more than the processors, at most three: a worker waits for its threads now and then. */
const WORKERS = Math.min(3, availableParallelism() + 1);

/** Every disk has new buffers and stores: a larger young generation is scanned less often. */
const ROOM = ['--max-semi-space-size=64'];

/** Disks are rebuilt in memory: their content is checked, not the speed of a real one. */
function workshopFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'power-cut-'));
}

/**
 * Rebuilds disks after power cuts of a recording and lets the production code recover each, in separate processes,
 * until enough distinct disks were seen or enough violations found.
 *
 * @throws Error if a worker fails for another reason than a violation, or the plan has too few distinct disks
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const program = await bundle('tests/faults/power-cut/check-worker.ts');
  const shards = options.workers ?? WORKERS;
  const workshop = workshopFolder();
  const began = performance.now();
  const disks = new Set<string>();
  const violations: Violation[] = [];
  const extremesDone = new Set<number>();
  let [states, boots, owed] = [0, 0, 0];
  const workers: ChildProcess[] = [];
  const enough = (): boolean =>
    violations.length >= options.violations ||
    (disks.size >= options.disks && extremesDone.size === shards) ||
    states > options.disks * 20 + 20_000;
  try {
    await Promise.all(
      Array.from({ length: shards }, (_, shard) => {
        const place = join(workshop, String(shard));
        mkdirSync(place);
        const task: Task = {
          recording: options.recording,
          seed: options.seed,
          shard,
          shards,
          workshop: place,
          bootEvery: options.bootEvery,
          from: options.from ?? 0,
          every: options.every ?? 1,
        };
        const worker = fork(program, [JSON.stringify(task)], {
          stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
          execArgv: ROOM,
        });
        workers.push(worker);
        let said = '';
        worker.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-4000)));
        worker.on('message', (message) => {
          const progress = message as Progress;
          states += progress.states;
          boots += progress.boots;
          owed += progress.owed;
          for (const disk of progress.disks) disks.add(disk);
          violations.push(...progress.violations);
          if (progress.extremesDone) extremesDone.add(shard);
          // A worker that has just ended may miss the message; its exit is checked below.
          if (enough()) for (const each of workers) if (each.connected) each.send('stop', () => undefined);
        });
        return new Promise<void>((settle, fail) => {
          worker.once('error', fail);
          worker.once('close', (code) =>
            code === 0 ? settle() : fail(new Error(`A worker of the power-cut proof ended with ${code}:\n${said}`)),
          );
        });
      }),
    );
  } finally {
    for (const worker of workers) if (worker.exitCode === null) worker.kill('SIGKILL');
    rmSync(workshop, { recursive: true, force: true });
  }
  return {
    seed: options.seed,
    states,
    disks: disks.size,
    boots,
    owed,
    violations: violations.sort((a, b) => a.state - b.state),
    seconds: (performance.now() - began) / 1000,
  };
}

/** Log text of a campaign's findings, with what is needed to rebuild the disk of each violation. */
export function report(name: string, cuts: number, result: CampaignResult): string {
  const lines = [
    `power cut, ${name}: seed ${result.seed}, ${cuts} cut points, ${result.disks} distinct disks of ${result.states} states rebuilt and recovered, ` +
      `${result.boots} of them with the whole edge, ${result.owed} receipts looked for, ${result.violations.length} violations, ${result.seconds.toFixed(0)} s`,
  ];
  for (const { state, event, problems, fates } of result.violations.slice(0, 3)) {
    lines.push(
      `  state ${state} (power off after event ${event}; FAULT_SEED=${result.seed}):`,
      ...problems.slice(0, 6).map((problem) => `    ${problem}`),
      '    pending changes:',
    );
    lines.push(...fates.slice(-40).map((fate) => `      ${fate}`));
  }
  return lines.join('\n');
}
