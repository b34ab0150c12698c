import type { OpKind } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import type { OpRow } from '../ops/database';
import type { OpIndex } from '../ops/op-index';
import type { Segment } from '../ops/segments';
import { filterEffective } from '../ops/effective-ops';

interface WholeDocuments {
  /** Documents stored entirely in these segments. */
  readonly documents: readonly (readonly [OpKind, string])[];
  readonly rows: readonly OpRow[];
  /** Segment of each document, including `partial`, by `<kind>/<docId>`; the last one of several. */
  readonly segmentOf: ReadonlyMap<string, number>;
  /** Documents that also have operations elsewhere. */
  readonly partial: readonly (readonly [OpKind, string])[];
}

/**
 * Finds the documents that can be folded from some segments alone, as in most of a first pull, without a database
 * query.
 *
 * @param opIndex up to date
 */
export function findWholeDocuments(opIndex: OpIndex, segments: readonly Segment[]): WholeDocuments {
  const here = new Set(segments.map(({ arrival }) => arrival));
  const documents = new Map<string, readonly [OpKind, string]>();
  const partial = new Map<string, readonly [OpKind, string]>();
  const segmentOf = new Map<string, number>();
  const rows: OpRow[] = [];
  for (const { arrival, ops } of segments) {
    for (const row of ops) {
      const key = docKeyOf(row.kind, row.docId);
      const isWhole = opIndex
        .entriesOf(row.kind, row.docId)
        .every(({ segment }) => segment !== undefined && here.has(segment));
      (isWhole ? documents : partial).set(key, [row.kind, row.docId]);
      segmentOf.set(key, arrival);
      if (isWhole) rows.push(row);
    }
  }
  const isAccepted = (opId: OpRow['opId']): boolean | undefined => {
    const receipts = opIndex.receipts(opId);
    return receipts.length === 0 ? undefined : receipts.some(({ accepted }) => accepted);
  };
  return {
    documents: [...documents.values()],
    rows: filterEffective(rows, isAccepted),
    segmentOf,
    partial: [...partial.values()],
  };
}
