import { splitOpId } from '../../../domain/ids';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { reissueUnsent } from '../../ops/reissue-unsent';
import type { Upstream } from '../../transport/upstream';

interface ClashContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  /** Reads the feed to its end and resolves its clashes. */
  readonly pull: (upstream: Upstream) => Promise<void>;
}

/**
 * Handles a store with a different operation under this op id: this tablet was restored or cloned, and takes a new id.
 *
 * @returns true if nothing changed: it is not this tablet's to resolve, or was resolved and also has its old id
 * @throws ReefError from the store
 */
export async function handleOpIdClash(
  { store, opIndex, pull }: ClashContext,
  upstream: Upstream,
  { opId, own }: OpIndexEntry,
): Promise<boolean> {
  const { deviceId } = splitOpId(opId);
  const isOpen = (): boolean => opIndex.entries.has(opId) && opIndex.receiptFrom(opId, upstream) === undefined;
  if (!own || ((await store.getMeta('givenUp')) ?? []).includes(opId)) return isOpen();
  // Operations that the store receipted although the reply was lost must not be reissued; the feed shows them, and the
  // clashing operation.
  await pull(upstream);
  await opIndex.follow();
  if (isOpen() && opIndex.receipts(opId).length > 0) {
    // An earlier version of the app skipped it.
    await store.run(() => store.db.cursors.delete(upstream.nodeId));
    await pull(upstream);
  } else if (isOpen() && (await store.getMeta('deviceId')) === deviceId) {
    const count = await reissueUnsent(store, deviceId);
    store.host.log.note(
      'warn',
      'The box has other work under this tablet’s id; taking a new id and reissuing unsent work.',
      { count },
    );
  }
  await opIndex.follow();
  return isOpen();
}
