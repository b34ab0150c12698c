import type { Logger } from 'pino';
import { openStores } from './open-stores';
import type { CloudSettings } from './settings';

/**
 * The recount command (protocol, "Fold": counters "with a recount command"): computes all documents and counters anew from
 * the operations, while no service works on the home.
 *
 * @returns the number of documents
 * @throws Error when a service holds the home
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
