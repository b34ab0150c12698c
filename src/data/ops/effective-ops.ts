import type { OpId } from '../../domain/ids';
import type { OpKind } from '../../domain/op/op';
import type { OpRow, ReceiptRow } from './database';
import type { OpsStore } from './ops-store';
import { segmentRowsOf } from './segments';

/**
 * Returns the effective operations of some documents: this tablet's own, and others' that no node has in quarantine
 * (protocol, "Receipts and keys": "`accepted: false`: kept, in quarantine, for a person to look at"). A later accepting
 * receipt of another node makes one effective.
 *
 * @param documents kind and id of each
 */
export async function effectiveOps(
  store: OpsStore,
  documents: readonly (readonly [OpKind, string])[],
): Promise<readonly OpRow[]> {
  const { db } = store;
  return store.run(() =>
    db.transaction('r', [db.ops, db.receipts, db.segments], async () => {
      // In parallel: a cursor over many keys waits for each of them.
      const [own, segmentRows] = await Promise.all([
        Promise.all(documents.map(([kind, docId]) => db.ops.where('[kind+docId]').equals([kind, docId]).toArray())),
        segmentRowsOf(store, documents),
      ]);
      const rows = [...own.flat(), ...segmentRows.ops];
      const others = rows.flatMap(({ own, opId }) => (own ? [] : [opId]));
      if (others.length === 0) return rows;
      const receipts = (
        await Promise.all(others.map((opId) => db.receipts.where('opId').equals(opId).toArray()))
      ).flat();
      return filterEffective(rows, acceptedBy([...receipts, ...segmentRows.receipts]));
    }),
  );
}

export function filterEffective(
  rows: readonly OpRow[],
  isAccepted: (opId: OpId) => boolean | undefined,
): readonly OpRow[] {
  return rows.filter(({ own, opId }) => own || isAccepted(opId) !== false);
}

function acceptedBy(receipts: readonly ReceiptRow[]): (opId: OpId) => boolean | undefined {
  const accepted = new Map<string, boolean>();
  for (const { opId, receipt } of receipts) accepted.set(opId, receipt.accepted || accepted.get(opId) === true);
  return (opId) => accepted.get(opId);
}
