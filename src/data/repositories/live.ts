import type { ReefError } from '../../domain/errors';

/**
 * What a read gives. `ready`: as the tablet's own store says now. `stale`: not read yet, or read before something
 * changed that is still being worked in; show the items, marked. `error`: the read failed; the items are the last good ones.
 */
export type QueryResult<Item> =
  | { readonly status: 'ready'; readonly items: readonly Item[] }
  | { readonly status: 'stale'; readonly items: readonly Item[] }
  | { readonly status: 'error'; readonly items: readonly Item[]; readonly error: ReefError };

/**
 * A value that changes by itself. Made for React's `useSyncExternalStore(live.subscribe, live.get)`: `get` gives the same
 * object until the value changes, `subscribe` calls back after each change and gives the function that ends it. Nothing
 * runs underneath while nobody listens.
 */
export interface Observable<Value> {
  readonly get: () => Value;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** A query whose answer changes by itself. */
export type LiveQuery<Item> = Observable<QueryResult<Item>>;
