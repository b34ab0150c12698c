import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress, Task, Violation } from './campaign';
import { crashStates } from './crash-plan';
import { Examiner } from './examine-disk';
import { Contents, describe, diskAfterCut, KEPT } from './power-cut-disk';
import { loadRecording } from './recording';
import { treeHash, writeTree } from './tree';

/** Consecutive cuts per worker: neighbours leave many of the same disks, so each is examined once. */
const RUN = 16;

/** Disks between two reports to the campaign. */
const BATCH = 50;

let [stopped, finished] = [false, false];
process.on('message', () => (stopped = true));
// A dead campaign leaves no worker behind.
process.on('disconnect', () => process.exit(finished ? 0 : 1));

async function main(task: Task): Promise<void> {
  const recording = loadRecording(task.recording);
  const { history } = recording;
  const contents = new Contents(history);
  const examiner = new Examiner(recording);
  /** Verdict by disk: the same disk after a later cut may owe more. */
  const known = new Map<string, Awaited<ReturnType<Examiner['examine']>>>();
  let [states, boots, owed, extremesDone] = [0, 0, 0, false];
  let disks: string[] = [];
  let violations: Violation[] = [];
  const say = (): Promise<void> => {
    const progress: Progress = { states, disks, boots, owed, extremesDone, violations };
    [states, boots, owed, disks, violations] = [0, 0, 0, [], []];
    return new Promise((settle, fail) =>
      process.send?.(progress, undefined, {}, (error: Error | null) =>
        error === null ? setImmediate(settle) : fail(error),
      ),
    );
  };
  const mine = (cut: number): boolean => {
    const chosen = (cut + task.seed) % task.every === 0 && (history.cuts[cut] ?? 0) >= task.from;
    return chosen && Math.floor(cut / Math.max(task.every, RUN)) % task.shards === task.shard;
  };
  for (const state of crashStates(history, task.seed, mine)) {
    if (stopped) break;
    extremesDone ||= state.kind === 'mixture';
    const tree = diskAfterCut(history, state.event, (op) => state.fates.get(op.index) ?? KEPT, contents);
    const disk = treeHash(tree);
    let verdict = known.get(disk);
    if (verdict === undefined) {
      const top = join(task.workshop, 'disk');
      mkdirSync(top);
      writeTree(tree, top);
      const whole = known.size % task.bootEvery === 0;
      verdict = await examiner.examine(top, whole);
      rmSync(top, { recursive: true, force: true });
      known.set(disk, verdict);
      disks.push(disk);
      if (whole) boots++;
    }
    states++;
    owed += examiner.owedAt(state.event).length;
    const problems = examiner.judge(verdict, state.event);
    if (problems.length > 0) {
      violations.push({
        state: state.number,
        event: state.event,
        problems,
        fates: state.pending.map((op) => describe(op, state.fates.get(op.index) ?? KEPT)),
      });
    }
    if (states >= BATCH || violations.length > 0) await say();
  }
  if (!stopped) extremesDone = true;
  await say();
  finished = true;
  process.disconnect();
}

const [task] = process.argv.slice(2);
if (task === undefined) throw new Error('This program is started by the power-cut campaign.');
await main(JSON.parse(task) as Task);
