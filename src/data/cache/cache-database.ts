import { Dexie } from 'dexie';
import type { TabletHost } from '../../platform/host';

/** Opens a database of data that can be fetched again, so that writes need not reach the disk. */
export function openCacheDatabase<Database extends Dexie>({ idb }: Pick<TabletHost, 'idb'>, name: string): Database {
  return new Dexie(name, {
    indexedDB: idb.factory,
    IDBKeyRange: idb.keyRange,
    chromeTransactionDurability: 'relaxed',
  }) as Database;
}

/**
 * Reads or writes a cache. A failure is logged and counts as a miss.
 *
 * @param failure log line
 * @returns undefined after a failure
 */
export async function bestEffort<Value>(
  { log }: Pick<TabletHost, 'log'>,
  failure: string,
  work: () => PromiseLike<Value>,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Dexie.DatabaseClosedError)) log.note('warn', failure, { error: String(error) });
    return undefined;
  }
}
