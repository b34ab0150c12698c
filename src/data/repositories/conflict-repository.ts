import type { OpId } from '../../domain/ids';
import type { Json } from '../../domain/json';
import type { OpKind } from '../../domain/op/op';
import { OP_KINDS } from '../../domain/op/op';
import { draftSettle } from '../../domain/op/draft';
import type { ReadDoc } from '../db/read-model';
import { live } from './live-query';
import type { Live } from './live';
import type { Parts } from './parts';
import { draftFacts, liveDocuments, save, seen } from './parts';

/** One field that two people wrote without seeing each other's value (protocol, "Fold"). */
export interface ConflictView {
  readonly kind: OpKind;
  readonly docId: string;
  readonly field: string;
  /** The value shown now. */
  readonly shown: Json;
  /** The other values, each with the operation that wrote it, and by whom and when where that is known. */
  readonly others: readonly { readonly opId: OpId; readonly value: Json; readonly by: string | null; readonly madeAt: string | null }[];
}

/** Values that wait for a person's word. */
export interface ConflictRepository {
  readonly all: Live<ConflictView>;
  /** Says which value holds; it replaces every live one of that field. @throws ReefError `not-found`, `storage-full` */
  readonly settle: (of: { kind: OpKind; docId: string; field: string }, value: Json) => Promise<void>;
}

export function createConflictRepository(parts: Parts): ConflictRepository {
  const documents = liveDocuments<{ kind: OpKind; document: ReadDoc }>(parts, {
    kinds: OP_KINDS,
    view: (found) => OP_KINDS.flatMap((kind) => (found[kind] ?? []).filter(({ conflicts }) => conflicts.length > 0).map((document) => ({ kind, document }))),
  });
  return {
    all: live<ConflictView>({
      begin: (tell) => {
        let latest = 0;
        const show = (): void => {
          const read = documents.get();
          if (read.status === 'error') tell.failed(read.error);
          if (read.status !== 'ready') return;
          const turn = (latest += 1);
          Promise.all(read.items.map(({ kind, document }) => viewsOf(parts, kind, document))).then(
            (views) => {
              if (turn === latest) tell.items(views.flat());
            },
            (error: unknown) => tell.failed(error),
          );
        };
        return documents.subscribe(show);
      },
    }),
    settle: async ({ kind, docId, field }, value) => {
      await save(parts, draftSettle(await seen(parts, kind, docId), field, value, draftFacts(parts, kind)));
    },
  };
}

async function viewsOf({ store }: Parts, kind: OpKind, { id, doc, conflicts }: ReadDoc): Promise<readonly ConflictView[]> {
  const fields = [...new Set(conflicts.map(({ field }) => field))];
  const rows = await store.run(() => store.db.ops.bulkGet(conflicts.map(({ opId }) => opId)));
  return fields.map((field) => ({
    kind,
    docId: id,
    field,
    shown: doc[field] ?? null,
    others: conflicts.flatMap((conflict, i) => (conflict.field === field ? [{ opId: conflict.opId, value: conflict.value, by: rows[i]?.by ?? null, madeAt: rows[i]?.op.madeAt ?? null }] : [])),
  }));
}
