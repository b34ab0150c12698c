import type { Op } from '../../../domain/op/op';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { reissueUnsent } from '../../ops/reissue-unsent';
import type { Upstream } from '../../transport/upstream';
import type { OfferedOps } from './offered-ops';

interface ClashContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  readonly offered: OfferedOps;
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
  { store, opIndex, offered, pull }: ClashContext,
  upstream: Upstream,
  { opId, own }: OpIndexEntry,
): Promise<boolean> {
  // A store never changes what it has under an id. Noted at once: operations refused together are reissued together.
  offered.settle(opId, upstream);
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
  } else if (isOpen()) {
    const deviceId = await store.getMeta('deviceId');
    const isKept = (op: Op): boolean => op.opId !== opId && offered.has(op.opId);
    const count = deviceId === undefined ? 0 : await reissueUnsent(store, deviceId, isKept);
    store.host.log.note(
      'warn',
      'The box has other work under this tablet’s id; taking a new id and reissuing unsent work.',
      { count },
    );
  }
  await opIndex.follow();
  return isOpen();
}
