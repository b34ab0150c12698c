import type { Logger } from 'pino';
import { openStores } from '../open-stores';
import type { EdgeSettings } from '../settings';

/**
 * Rebuilds all documents and counters from the operations, while no server runs (protocol, "Fold": counters "with a
 * recount command").
 *
 * @returns number of documents
 * @throws Error while a server uses the home folder
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
 * Starts a new epoch for a store restored from a backup (`npm run edge -- restored`), so that everything is offered to
 * it again.
 *
 * @returns the new epoch
 * @throws Error while a server uses the home folder
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
