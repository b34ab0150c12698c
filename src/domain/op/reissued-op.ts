import type { OpId } from '../ids';
import type { Over } from './draft';
import type { Op } from './op';
import { WHOLE } from './op';
import { foldableBody } from './server-owned';

/** What an operation writes, each field with the writes that it replaces: `over`, or every field and none. */
export function overOf({ kind, body, over }: Pick<Op, 'kind' | 'body' | 'over'>): Over {
  if (over !== undefined) return over;
  const fields = kind === 'analysis' ? [WHOLE] : Object.keys(foldableBody(kind, body));
  return Object.fromEntries(fields.map((field) => [field, []]));
}

/**
 * The same write under another name. It replaces whatever bore the earlier name, in each field that it writes: a store that
 * holds the write under that name shows it once.
 *
 * @param renamed names that are given up with this one, and what follows them
 */
export function reissuedOp(op: Op, opId: OpId, renamed: ReadonlyMap<OpId, OpId>): Op {
  const over = Object.entries(overOf(op)).map(
    ([field, opIds]) => [field, [...new Set([...opIds.map((id) => renamed.get(id) ?? id), op.opId])]] as const,
  );
  return { ...op, opId, over: Object.fromEntries(over) };
}

/** True when `later` is `earlier` under another name (`issuedAgain`): the same write of the same moment, which replaces the earlier name. */
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

/** True when an operation replaces one of these. */
export function replacesAny({ over }: Pick<Op, 'over'>, opIds: ReadonlySet<OpId>): boolean {
  return Object.values(over ?? {}).some((replaced) => replaced.some((opId) => opIds.has(opId)));
}
