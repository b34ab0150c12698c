import type { Outcome } from './history';
import { runHistory } from './history';
import type { Task } from './run';

// Stack traces of a hundred thousand expected errors go unread.
if (process.argv[3] !== 'trace') Error.stackTraceLimit = 0;

const { seeds, step, mix, cast, hostile, stopAtFirst, keepTrace, isSlow } = JSON.parse(process.argv[2] ?? '{}') as Task;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const real = setImmediate;
if (isSlow === true) {
  let late = 0;
  Object.assign(performance, { now: () => (late += 100) });
}

/** One history per turn of Node's own loop: within a promise it could not drain promises. */
function next(seed: number): void {
  if (seed >= seeds.from + seeds.count) return;
  const outcome: Outcome = runHistory(seed, {
    ...(mix === undefined ? {} : { mix }),
    ...(cast === undefined ? {} : { cast }),
    hostile: hostile === true,
    keepTrace: keepTrace === true,
  });
  say(outcome);
  if (outcome.violation !== null && stopAtFirst === true) return;
  real(() => next(seed + step.by));
}

real(() => next(seeds.from + step.at));
