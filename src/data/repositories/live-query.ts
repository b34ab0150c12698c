import { ReefError } from '../../domain/errors';
import { Emitter } from '../../base/emitter';
import type { LiveQuery, QueryResult } from './live';

/** Source of a live query. `start` begins watching and returns a function that ends it. */
export interface LiveQuerySource<Item> {
  readonly start: (tell: {
    readonly items: (items: readonly Item[]) => void;
    readonly stale: () => void;
    readonly failed: (error: unknown) => void;
  }) => () => void;
  /** Discards the items when it fires: they belong to the previous user. */
  readonly resetOn?: Emitter<void>;
}

/** Creates a live query that runs while subscribed, and retains its last items afterwards. */
export function createLiveQuery<Item>(source: LiveQuerySource<Item>): LiveQuery<Item> {
  const changed = new Emitter<void>();
  let read: QueryResult<Item> = { status: 'stale', items: [] };
  let end: (() => void) | undefined;
  const set = (next: QueryResult<Item>): void => {
    read = next;
    changed.emit();
  };
  source.resetOn?.subscribe(() => {
    if (read.status !== 'stale' || read.items.length > 0) set({ status: 'stale', items: [] });
  });
  return {
    get: () => read,
    subscribe: (onChange) => {
      const stop = changed.subscribe(() => onChange());
      end ??= source.start({
        items: (items) => {
          // Equal objects in equal order need no rendering.
          if (read.status === 'ready' && isSame(read.items, items)) return;
          set({ status: 'ready', items });
        },
        stale: () => {
          if (read.status !== 'stale') set({ status: 'stale', items: read.items });
        },
        failed: (error) =>
          set({
            status: 'error',
            items: read.items,
            error:
              error instanceof ReefError
                ? error
                : new ReefError('internal', { message: 'This tablet’s storage could not be read.', cause: error }),
          }),
      });
      return () => {
        stop();
        if (changed.size > 0) return;
        end?.();
        end = undefined;
        // Later changes will be missed.
        if (read.status === 'ready') read = { status: 'stale', items: read.items };
      };
    },
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
