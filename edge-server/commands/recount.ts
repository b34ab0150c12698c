import type { Logger } from 'pino';
import { withStores } from '../../src/server/process/with-stores';
import { openStores } from '../open-stores';
import type { EdgeSettings } from '../settings';

/**
 * Rebuilds all documents and counters from the operations, while no server runs (protocol, "Fold": counters "with a
 * recount command").
 *
 * @returns number of documents
 * @throws Error while a server uses the home folder
 */
export function recount(settings: EdgeSettings, log: Logger): Promise<number> {
  return withStores(
    (onFatal) => openStores(settings, { clock: Date.now, log, onFatal }),
    ({ store }) => store.rebuild(),
  );
}

/**
 * Starts a new epoch for a store restored from a backup (`npm run edge -- restored`), so that everything is offered to
 * it again.
 *
 * @returns the new epoch
 * @throws Error while a server uses the home folder
 */
export function startNewEpoch(settings: EdgeSettings, log: Logger): Promise<string> {
  return withStores(
    (onFatal) => openStores(settings, { clock: Date.now, log, onFatal, restored: true }),
    ({ store }) => store.identity.storeEpoch,
  );
}
