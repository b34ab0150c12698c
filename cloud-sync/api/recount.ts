import type { Logger } from 'pino';
import { openStores } from './open-stores';
import type { CloudSettings } from './settings';

/**
 * Recount command (protocol, "Fold": counters "with a recount command"): recomputes documents and counters from the
 * operations while no service runs.
 *
 * @returns number of documents
 * @throws Error if a service uses the data folder
 */
export async function recount(settings: CloudSettings, log: Logger): Promise<number> {
  let failed: Error | undefined;
  const stores = await openStores(settings, {
    clock: Date.now,
    log,
    onFatal: (error) => (failed = error),
    onBytesStored: () => undefined,
  });
  try {
    const documents = await stores.store.rebuild();
    if (failed !== undefined) throw failed;
    return documents;
  } finally {
    await stores.close();
  }
}
