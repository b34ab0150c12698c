import { isReissueOf } from '../../../src/domain/op/reissued-op';
import type { Op } from '../../../src/domain/op/op';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged } from '../bridge-context';
import { callNode } from '../node-error';

/** True if an error may mean that another operation has this opId on the other node. */
export function isOpIdTaken(error: { readonly code: string } | null): boolean {
  return error?.code === 'receipt-mismatch';
}

/**
 * Searches the box's feed for the same write under another opId, as a restored tablet reissues it.
 *
 * @param since cursor to start from; a reissue comes after the original
 * @returns undefined if the tablet has not been here since
 * @throws NodeError, EpochChanged
 */
export async function findReissued(
  { edge, tracker, limits }: Pick<BridgeContext, 'edge' | 'tracker' | 'limits'>,
  op: Op,
  since: number,
  signal?: AbortSignal,
): Promise<Op | undefined> {
  for (let from = since; ;) {
    const page = await callNode('edge', edge.changes({ since: from, limit: limits.pageEntries }, signal));
    if (page.storeEpoch !== tracker.edgeEpoch) throw new EpochChanged();
    const again = page.entries.find((entry) => entry.op !== undefined && isReissueOf(entry.op, op));
    if (again !== undefined) return again.op;
    if (page.entries.length === 0 || page.next <= from) return undefined;
    from = page.next;
  }
}
