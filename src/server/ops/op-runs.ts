import { isObject } from '../../domain/json';

const RUN_MAX = 256;

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

/** Id of an operation as received, for its answer; null if it has none. */
export function opIdOf(value: unknown): string | null {
  return isObject(value) && typeof value['opId'] === 'string' ? value['opId'].slice(0, 64) : null;
}
