import type { Logger } from 'pino';
import { withStores } from '../../src/server/process/with-stores';
import { openStores } from './open-stores';
import type { CloudSettings } from './settings';

/**
 * Recount command (protocol, "Fold": counters "with a recount command"): recomputes documents and counters from the
 * operations while no service runs.
 *
 * @returns number of documents
 * @throws Error if a service uses the data folder
 */
export function recount(settings: CloudSettings, log: Logger): Promise<number> {
  return withStores(
    (onFatal) => openStores(settings, { clock: Date.now, log, onFatal, onBytesStored: () => undefined }),
    ({ store }) => store.rebuild(),
  );
}
