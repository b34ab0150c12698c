/** Edits of documents, as a tablet of their author writes them. */
import type { PersonId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { documentStateOf, draftDelete, draftEdit } from '../../../src/domain/op/draft';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { TestCloud } from './cloud';
import { makeOp } from './edge-client';

const NODE = 'Box0000000000001';

/**
 * Returns the operation that edits a document.
 *
 * @param ops all of the document
 * @param changes fields with their new values; null deletes it
 */
export function editOf(ops: readonly Op[], author: string, changes: JsonObject | null): Op {
  const [first] = ops;
  if (first === undefined) throw new Error('the document has no operation yet');
  const state = documentStateOf(first.kind, first.docId, ops);
  const facts = { by: author as PersonId, madeAt: new Date().toISOString(), schema: 1 };
  const draft = changes === null ? draftDelete(state, facts) : draftEdit(state, changes, facts);
  if (draft === undefined) throw new Error(`the edit of ${first.kind} ${first.docId} changes nothing`);
  const { kind, body, ...envelope } = draft;
  return makeOp(kind, body, envelope);
}

/** Edits a document of the cloud as `author`. @param changes as in `editOf` */
export async function editDocument(
  cloud: TestCloud,
  kind: OpKind,
  docId: string,
  author: string,
  changes: JsonObject | null,
): Promise<void> {
  const { rows } = await cloud.cloud.context.database.pool.query<{ op: string }>(
    'SELECT op FROM ops WHERE kind = $1 AND doc_id = $2 ORDER BY seq',
    [kind, docId],
  );
  const ops = rows.map(({ op }) => JSON.parse(op) as Op);
  const results = await cloud.ops([editOf(ops, author, changes)], NODE);
  const [result] = results as unknown as readonly { receipt?: { accepted: boolean } }[];
  if (result?.receipt?.accepted !== true) throw new Error(`the edit of ${kind} ${docId} was not accepted`);
}
