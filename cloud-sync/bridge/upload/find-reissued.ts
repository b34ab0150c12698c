import { isReissueOf } from '../../../src/domain/op/reissued-op';
import type { Op } from '../../../src/domain/op/op';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged } from '../bridge-context';
import { callNode } from '../node-error';

/** Whether trouble with an operation may be that its name is used up: another write goes under it at the other node. */
export function isOpIdTaken(error: { readonly code: string } | null): boolean {
  return error?.code === 'receipt-mismatch';
}

/**
 * Looks in the box's feed for the same write under another name, as a restored tablet issues it again.
 *
 * @param since where to begin; it comes after the operation itself
 * @returns undefined where its tablet has not been here since
 * @throws Trouble, EpochChanged
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
