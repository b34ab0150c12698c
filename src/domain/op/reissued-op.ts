import type { OpId } from '../ids';
import type { Over } from './draft';
import type { Op } from './op';
import { WHOLE } from './op';
import { foldableBody } from './server-owned';

/** Fields that an operation writes, with the writes they replace: `over`, or every field and none. */
function overOf({ kind, body, over }: Pick<Op, 'kind' | 'body' | 'over'>): Over {
  if (over !== undefined) return over;
  const fields = kind === 'analysis' ? [WHOLE] : Object.keys(foldableBody(kind, body));
  return Object.fromEntries(fields.map((field) => [field, []]));
}

/**
 * Reissues a write under a new id. It replaces the earlier id in each field it writes, so a store that holds both shows
 * the write once.
 *
 * @param renamed ids that are replaced with this one, and their successors
 */
export function reissuedOp(op: Op, opId: OpId, renamed: ReadonlyMap<OpId, OpId>): Op {
  const over = Object.entries(overOf(op)).map(
    ([field, opIds]) => [field, [...new Set([...opIds.map((id) => renamed.get(id) ?? id), op.opId])]] as const,
  );
  return { ...unsigned(op), opId, over: Object.fromEntries(over) };
}

/** Operation without its signature, which covers the id. */
export function unsigned(op: Op): Op {
  const { sig: _sig, ...rest } = op;
  return rest;
}

/** True if `later` is `earlier` reissued (`reissuedOp`): the same write at the same time, replacing the earlier id. */
export function isReissueOf(later: Op, earlier: Op): boolean {
  return (
    later.opId !== earlier.opId &&
    later.kind === earlier.kind &&
    later.docId === earlier.docId &&
    later.sha256 === earlier.sha256 &&
    later.madeAt === earlier.madeAt &&
    replacesAny(later, new Set([earlier.opId]))
  );
}

/** True if an operation replaces any of these. */
export function replacesAny({ over }: Pick<Op, 'over'>, opIds: ReadonlySet<OpId>): boolean {
  return Object.values(over ?? {}).some((replaced) => replaced.some((opId) => opIds.has(opId)));
}
