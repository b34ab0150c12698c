import type { Observable } from './live';

/** How this tablet's own storage stands. Bytes. */
export interface StorageFacts {
  /** Whether the browser promised not to clear it by itself; null: not asked yet. */
  readonly persisted: boolean | null;
  readonly used: number | null;
  readonly quota: number | null;
  /** Set when the storage was found emptied at start, though this tablet had written before. */
  readonly wiped: { readonly foundAt: string } | null;
}

export interface StorageRepository {
  readonly facts: Observable<StorageFacts>;
  /** Asks the browser to keep the data; needs a gesture in some browsers. Gives what it said. */
  readonly persist: () => Promise<boolean>;
}
