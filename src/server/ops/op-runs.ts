import { isObject } from '../../domain/json';

const RUN_MAX = 256;

/** Neighbours of the same kind, which do not need each other, in the order they came. */
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

/** The id of an operation as it came, for the answer about it; null where it has none. */
export function opIdOf(value: unknown): string | null {
  return isObject(value) && typeof value['opId'] === 'string' ? value['opId'].slice(0, 64) : null;
}
