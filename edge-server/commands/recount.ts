import type { Logger } from 'pino';
import { openStores } from '../open-stores';
import type { EdgeSettings } from '../settings';

/**
 * The recount command (protocol, "Fold": counters "with a recount command"): computes all documents and counters anew from
 * the operations, while no server works on the home.
 *
 * @returns the number of documents
 * @throws Error when a server holds the home
 */
export async function recount(settings: EdgeSettings, log: Logger): Promise<number> {
  let failed: Error | undefined;
  const stores = await openStores(settings, { clock: Date.now, log, onFatal: (error) => (failed = error) });
  try {
    const documents = await stores.store.rebuild();
    if (failed !== undefined) throw failed;
    return documents;
  } finally {
    await stores.close();
  }
}

/**
 * What `npm run edge -- restored` does: the record that lies in the home was put back from a backup, so it begins a new epoch
 * and everything is offered to it again. Nothing is deleted.
 *
 * @returns the epoch that it has now
 * @throws Error when a server holds the home
 */
export async function startNewEpoch(settings: EdgeSettings, log: Logger): Promise<string> {
  let failed: Error | undefined;
  const stores = await openStores(settings, {
    clock: Date.now,
    log,
    onFatal: (error) => (failed = error),
    restored: true,
  });
  try {
    if (failed !== undefined) throw failed;
    return stores.store.identity.storeEpoch;
  } finally {
    await stores.close();
  }
}
