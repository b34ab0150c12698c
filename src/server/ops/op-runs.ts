import { setImmediate as turn } from 'node:timers/promises';
import { isObject } from '../../domain/json';

const RUN_MAX = 256;
/** Time after which others get a turn of the event loop, ms. */
const TURN_MS = 10;

/** Groups adjacent, independent operations of one kind, in order. */
export function runsOfAKind(items: readonly unknown[]): unknown[][] {
  const runs: unknown[][] = [];
  let last: unknown;
  for (const item of items) {
    const op = isObject(item) && isObject(item['op']) ? item['op'] : item;
    const kind = isObject(op) ? op['kind'] : undefined;
    const run = runs.at(-1);
    if (run !== undefined && kind === last && run.length < RUN_MAX) run.push(item);
    else runs.push([item]);
    last = kind;
  }
  return runs;
}

/**
 * Starts work on each operation of a run and waits for all of it, see {@link startAll}.
 *
 * @param start never throws, and answers errors as results
 * @param elapsed monotonic clock, ms
 */
export async function startEach<Result>(
  run: readonly unknown[],
  start: (item: unknown, index: number) => Promise<Result>,
  elapsed?: () => number,
): Promise<Result[]> {
  return Promise.all(await startAll(run, start, elapsed));
}

/**
 * Starts work on each operation of a run; returns once all have started. Between two that took long to check, others
 * get a turn of the event loop: one operation of 2 MB with many fields takes most of a second.
 *
 * @param start never throws, and answers errors as results
 * @param elapsed monotonic clock, ms
 */
export async function startAll<Result>(
  run: readonly unknown[],
  start: (item: unknown, index: number) => Promise<Result>,
  elapsed: () => number = () => performance.now(),
): Promise<Promise<Result>[]> {
  const started: Promise<Result>[] = [];
  let since = elapsed();
  for (const [index, item] of run.entries()) {
    started.push(start(item, index));
    if (elapsed() - since < TURN_MS) continue;
    await turn();
    since = elapsed();
  }
  return started;
}

/** Id of an operation as received, for its answer; null if it has none. */
export function opIdOf(value: unknown): string | null {
  return isObject(value) && typeof value['opId'] === 'string' ? value['opId'].slice(0, 64) : null;
}
