import { ReefError } from '../../domain/errors';
import type { Emitter } from '../../base/emitter';
import { liveValue } from '../../base/live-value';
import { ObservableValue } from '../../base/observable';
import type { LiveQuery, QueryResult } from './live';

/** Source of a live query. `start` begins watching and returns a function that ends it. */
interface LiveQuerySource<Item> {
  readonly start: (tell: {
    readonly items: (items: readonly Item[]) => void;
    readonly stale: () => void;
    readonly failed: (error: unknown) => void;
  }) => () => void;
  /** Discards the items when it fires: they belong to the previous user. */
  readonly resetOn?: Emitter<void>;
}

/** Creates a live query that runs while subscribed, and retains its last items afterwards. */
export function createLiveQuery<Item>({ start, resetOn }: LiveQuerySource<Item>): LiveQuery<Item> {
  const result = new ObservableValue<QueryResult<Item>>({ status: 'stale', items: [] });
  resetOn?.subscribe(() => {
    if (result.get().status !== 'stale' || result.get().items.length > 0) result.set({ status: 'stale', items: [] });
  });
  const stale = (): void => {
    if (result.get().status !== 'stale') result.set({ status: 'stale', items: result.get().items });
  };
  return liveValue(result, () => [
    start({
      items: (items) => {
        const read = result.get();
        // Equal objects in equal order need no rendering.
        if (read.status !== 'ready' || !isSame(read.items, items)) result.set({ status: 'ready', items });
      },
      stale,
      failed: (error) =>
        result.set({
          status: 'error',
          items: result.get().items,
          error:
            error instanceof ReefError
              ? error
              : new ReefError('internal', { message: 'This tablet’s storage could not be read.', cause: error }),
        }),
    }),
    // Later changes will be missed.
    () => {
      if (result.get().status === 'ready') stale();
    },
  ]);
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
