import { Dexie, liveQuery } from 'dexie';
import { ReefError } from '../../domain/errors';
import type { DeviceId } from '../../domain/ids';
import { makeId } from '../../domain/ids';
import type { TabletHost } from '../../platform/host';
import type { MetaValues, OpsDatabase } from './database';
import { createOpsDatabase } from './database';
import { SegmentCache } from './segments';

const REOPEN_ATTEMPTS_MAX = 2;

/**
 * Operations database with what every use needs: reopening after a lost connection (iOS ends the storage process), a
 * named error for a full disk, single values, and change notification across tabs.
 */
export class OpsStore {
  readonly db: OpsDatabase;
  readonly host: TabletHost;
  readonly segmentCache = new SegmentCache();
  readonly #watches = new Set<() => void>();
  #closed = false;

  private constructor(host: TabletHost, db: OpsDatabase) {
    this.host = host;
    this.db = db;
  }

  /**
   * Opens the database, creates the device id at the first start, and detects emptied storage (a browser may clear a
   * site without promised persistence).
   *
   * @throws ReefError `internal` if it cannot be opened
   */
  static async open(host: TabletHost, name: string): Promise<OpsStore> {
    const store = new OpsStore(host, createOpsDatabase(host, name));
    // At every opening, before any other use: the storage may also be emptied under an open page.
    store.db.on(
      'ready',
      async (opened) => {
        // Another storage may restart its arrival numbers.
        store.segmentCache.clear();
        await initOrDetectWipe(host, opened as OpsDatabase);
      },
      true,
    );
    await store.run(async () => {
      await store.db.open();
    });
    return store;
  }

  /**
   * Runs work on the database; after a lost connection, reopens it and repeats the work, which must be repeatable.
   *
   * @throws ReefError `storage-full` if the browser's quota is used up; nothing of a transaction is stored then
   */
  async run<Value>(work: () => Promise<Value> | PromiseLike<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (isQuotaError(error)) {
          throw new ReefError('storage-full', {
            message: 'The storage of this tablet is full. This was not saved; everything saved before is safe.',
            cause: error,
          });
        }
        if (attempt > REOPEN_ATTEMPTS_MAX || !isLostConnection(error)) throw error;
        this.host.log.note('warn', 'The connection to the storage was lost; reopening it.', { error: String(error) });
        this.db.close({ disableAutoOpen: false });
        await this.db.open();
      }
    }
  }

  async getMeta<Key extends keyof MetaValues>(key: Key): Promise<MetaValues[Key] | undefined> {
    const row = await this.run(() => this.db.meta.get(key));
    return row?.value as MetaValues[Key] | undefined;
  }

  async setMeta<Key extends keyof MetaValues>(key: Key, value: MetaValues[Key]): Promise<void> {
    await this.run(() => this.db.meta.put({ key, value }));
  }

  /** Allocates `count` arrival numbers; returns the first. Call inside a transaction that includes `meta`. */
  async allocateArrivals(count: number): Promise<number> {
    const first = (((await this.db.meta.get('arrival'))?.value as number | undefined) ?? 0) + 1;
    await this.db.meta.put({ key: 'arrival', value: first + count - 1 });
    return first;
  }

  /** Marks that rows were removed or replaced. Call inside a transaction that includes `meta`. */
  async bumpGeneration(): Promise<void> {
    const generation = ((await this.db.meta.get('generation'))?.value as number | undefined) ?? 0;
    await this.db.meta.put({ key: 'generation', value: generation + 1 });
  }

  /** Calls back once soon, then after every change that affects the query, in any tab. */
  watch<Value>(query: () => Promise<Value> | PromiseLike<Value>, onValue: (value: Value) => void): () => void {
    const subscription = liveQuery(async () => query()).subscribe({
      next: onValue,
      error: (error: unknown) => this.host.log.note('error', 'A storage query failed.', { error: String(error) }),
    });
    const stop = (): void => {
      this.#watches.delete(stop);
      subscription.unsubscribe();
    };
    this.#watches.add(stop);
    if (this.#closed) stop();
    return stop;
  }

  isoNow(): string {
    return new Date(this.host.clock.now()).toISOString();
  }

  close(): void {
    this.#closed = true;
    for (const stop of [...this.#watches]) stop();
    this.db.close();
  }
}

/** @param db from the `ready` event: not blocked by the ongoing opening */
async function initOrDetectWipe(host: TabletHost, db: OpsDatabase): Promise<void> {
  const marker = host.storage.marker.read();
  const fresh = makeId(host.randomBytes);
  const storeId = await db.transaction('rw', db.meta, async () => {
    // Another tab may have started already; the first one wins.
    const existing = (await db.meta.get('storeId'))?.value as string | undefined;
    if (existing !== undefined) return existing;
    const begin: Partial<MetaValues> = {
      storeId: fresh,
      deviceId: makeId<DeviceId>(host.randomBytes),
      counter: 0,
      arrival: 0,
      generation: 0,
    };
    for (const [key, value] of Object.entries(begin)) await db.meta.put({ key: key as keyof MetaValues, value });
    if (marker !== null)
      await db.meta.put({
        key: 'wiped',
        value: { foundAt: new Date(host.clock.now()).toISOString() } satisfies MetaValues['wiped'],
      });
    return fresh;
  });
  if (storeId === fresh && marker !== null)
    host.log.note('error', 'This tablet’s storage is empty, although data was written to it before.');
  if (storeId !== marker) host.storage.marker.write(storeId);
}

/** Dexie names the error that ended a transaction, or wraps it in `inner`. */
function errorNamesOf(error: unknown): string[] {
  const names: string[] = [];
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth++) {
    const { name, inner } = at as { name?: unknown; inner?: unknown };
    if (typeof name === 'string') names.push(name);
    at = inner;
  }
  return names;
}

function isQuotaError(error: unknown): boolean {
  return (
    errorNamesOf(error).includes(Dexie.errnames.QuotaExceeded) || errorNamesOf(error).includes('QuotaExceededError')
  );
}

function isLostConnection(error: unknown): boolean {
  if (error instanceof ReefError) return false;
  const lost = ['DatabaseClosedError', 'InvalidStateError', 'UnknownError', 'TransactionInactiveError'];
  return errorNamesOf(error).some((name) => lost.includes(name));
}
