import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';

/** Bytes reserved for new photographs: the amount below which a tablet warns that it has no room for them. */
export const MIN_FREE_BYTES =
  LIMITS.storageWarnPhotographs * LIMITS.typicalPhotographBytes + LIMITS.storageReserveBytes;

/** Free bytes if they are too few for copies that can be fetched again; null if there is room, or it is unknown. */
export async function scarceBytes(host: Pick<TabletHost, 'storage'>): Promise<number | null> {
  const { used, quota } = await host.storage.estimate();
  return used !== null && quota !== null && quota - used < MIN_FREE_BYTES ? quota - used : null;
}
