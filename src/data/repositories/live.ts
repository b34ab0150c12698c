import type { ReefError } from '../../domain/errors';

/**
 * Result of a query. `ready`: current. `stale`: not read yet, or changes are being processed; show the items, marked.
 * `error`: the read failed; the items are the last good ones.
 */
export type QueryResult<Item> =
  | { readonly status: 'ready'; readonly items: readonly Item[] }
  | { readonly status: 'stale'; readonly items: readonly Item[] }
  | { readonly status: 'error'; readonly items: readonly Item[]; readonly error: ReefError };

/**
 * Changing value for React's `useSyncExternalStore(value.subscribe, value.get)`: `get` returns the same object until it
 * changes; `subscribe` returns a function that ends it. Idle while not subscribed.
 */
export interface Observable<Value> {
  readonly get: () => Value;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Query with a live answer. */
export type LiveQuery<Item> = Observable<QueryResult<Item>>;
