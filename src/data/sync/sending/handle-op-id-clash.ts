import { splitOpId } from '../../../domain/ids';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { reissueUnsent } from '../../ops/reissue-unsent';
import type { Upstream } from '../../transport/upstream';

interface ClashContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  /** Reads the feed to its end; what clashes in it is settled on the way. */
  readonly pull: (upstream: Upstream) => Promise<void>;
}

/**
 * The store knows something else under this operation's id: this tablet was restored from a copy, or cloned, and takes another
 * name for it.
 *
 * @returns true where it stands as before: it is not this tablet's to settle, or it was settled and bears its old name besides
 * @throws ReefError as the store answers
 */
export async function handleOpIdClash(
  { store, opIndex, pull }: ClashContext,
  upstream: Upstream,
  { opId, own }: OpIndexEntry,
): Promise<boolean> {
  const { deviceId } = splitOpId(opId);
  const isOpen = (): boolean => opIndex.entries.has(opId) && opIndex.receiptFrom(opId, upstream) === undefined;
  if (!own || ((await store.getMeta('givenUp')) ?? []).includes(opId)) return isOpen();
  // What the store has receipted, though the answer was lost, must not be issued again; and what it has in its place is in its feed.
  await pull(upstream);
  await opIndex.follow();
  if (isOpen() && opIndex.receipts(opId).length > 0) {
    // An earlier version of the app read past it.
    await store.run(() => store.db.cursors.delete(upstream.nodeId));
    await pull(upstream);
  } else if (isOpen() && (await store.getMeta('deviceId')) === deviceId) {
    const count = await reissueUnsent(store, deviceId);
    store.host.log.note(
      'warn',
      'The box knows other work under this tablet’s id: it takes a new one and issues what was unsent again.',
      { count },
    );
  }
  await opIndex.follow();
  return isOpen();
}
