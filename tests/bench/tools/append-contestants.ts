import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AppendTask } from './append-worker';
import { benchFolder, removeFolder, startChild } from './child';
import type { Contestant, Turn } from './harness';
import { interleave } from './harness';

const run = promisify(execFile);

/**
 * Alternates tasks of the append store, each in its own process, on the disk of the checkout.
 *
 * @returns the turns of each task by its name
 */
export async function compareAppends(
  tasks: Readonly<Record<string, AppendTask>>,
  rounds: number,
): Promise<ReadonlyMap<string, readonly Turn[]>> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const [name, task] of Object.entries(tasks)) {
      const folder = await benchFolder('append');
      stops.push(() => removeFolder(folder));
      const child = await startChild<boolean>('tests/bench/tools/append-worker.ts', { BENCH_FOLDER: folder });
      stops.push(() => child.stop());
      contestants.push({
        name,
        async turn() {
          await run('sync', ['-f', folder]);
          const { seconds } = await child.ask<{ seconds: number }>(task);
          return { seconds, cpuSeconds: 0 };
        },
      });
    }
    return await interleave(contestants, rounds);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
