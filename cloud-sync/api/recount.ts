import type { Logger } from 'pino';
import { withStores } from '../../src/server/process/with-stores';
import { queueRecount } from './consensus/queue/recount-figures';
import { openStores } from './open-stores';
import type { CloudSettings } from './settings';

/**
 * Recount command (protocol, "Fold": counters "with a recount command"): recomputes documents and counters from the
 * operations while no service runs, and queues the figures of the census.
 *
 * @returns number of documents
 * @throws Error if a service uses the data folder
 */
export function recount(settings: CloudSettings, log: Logger): Promise<number> {
  return withStores(
    (onFatal) => openStores(settings, { clock: Date.now, log, onFatal, onBytesStored: () => undefined }),
    async ({ store, database }) => {
      const documents = await store.rebuild();
      // The service computes them when it runs.
      log.info({ figures: await queueRecount(database.pool) }, 'figures are queued to be computed again');
      return documents;
    },
  );
}
