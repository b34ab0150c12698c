import type { OpKind } from '../../src/domain/op/op';
import type { AppendStore, StoredDocument } from '../../src/server/ops/append-store';

/** All documents of a kind in a store, oldest id first, deleted ones too; read one by one as its feed names them. */
export async function storedDocuments(
  store: Pick<AppendStore, 'changes' | 'document'>,
  kind: OpKind,
): Promise<readonly StoredDocument[]> {
  const ids = new Set<string>();
  for (let since = 0; ;) {
    const { entries, next } = await store.changes({ since, limit: 1000 });
    for (const { op } of entries) if (op?.kind === kind) ids.add(op.docId);
    if (entries.length === 0 || next === since) break;
    since = next;
  }
  const found = await Promise.all([...ids].sort().map((id) => store.document(kind, id)));
  return found.filter((document) => document !== undefined);
}
