import type pg from 'pg';
import { CEILING_MESSAGES } from '../../../src/domain/fold/ceilings';
import type { Folded } from '../../../src/domain/fold/fold';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { parseRoles } from '../../../src/server/ops/author-roles';
import type { DocumentRef } from '../../../src/server/ops/append-store';
import { DocumentFold, FOLD_CHARS_MAX, inTurns } from '../../../src/server/ops/document-fold';
import type { AcceptedOp, FoldBasis } from '../../../src/server/ops/document-row';
import { documentKey } from './documents';

/** Document changed by this transaction, and its former counts. */
export interface TouchedDocument {
  readonly kind: OpKind;
  readonly docId: string;
  /** Its accepted operations so far; undefined: it is so large that it takes nothing unless staff release it. */
  readonly fold: DocumentFold | undefined;
  readonly countedBefore: string | undefined;
}

interface TouchedRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly counted: string;
  readonly folded: string | null;
  readonly fold_basis: string | null;
  readonly fold_chars: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface OpRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly op: string;
  readonly by_person: string | null;
  readonly author_roles: string | null;
}

/**
 * Loads documents by {@link documentKey} as their stored folds; new ones are empty. A row of an earlier version is folded
 * once more from all its operations.
 *
 * @param ceilings `ignore`: documents above every ceiling too
 */
export async function loadTouched(
  client: pg.ClientBase,
  wanted: ReadonlyMap<string, DocumentRef>,
  ceilings: 'keep' | 'ignore',
): Promise<Map<string, TouchedDocument>> {
  const keys = [...wanted.values()];
  const { rows } = await client.query<TouchedRow>({
    name: 'docs-touched',
    text: `SELECT d.kind, d.doc_id, d.counted, CASE WHEN d.fold_basis IS NOT NULL THEN d.folded END AS folded, d.fold_basis, d.fold_chars, d.created_at, d.updated_at
           FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id) JOIN docs d ON d.kind = k.kind AND d.doc_id = k.doc_id`,
    values: [keys.map(({ kind }) => kind), keys.map(({ docId }) => docId)],
  });
  const touched = new Map(
    keys.map(({ kind, docId }): [string, TouchedDocument] => [
      documentKey(kind, docId),
      { kind, docId, fold: new DocumentFold(kind, docId), countedBefore: undefined },
    ]),
  );
  const histories = new Map<string, AcceptedOpText[]>();
  await inTurns(
    (function* () {
      for (const row of rows) {
        const { kind, doc_id: docId, counted: countedBefore } = row;
        const isOversize = ceilings === 'keep' && (row.fold_chars ?? 0) > FOLD_CHARS_MAX;
        const fold = isOversize ? undefined : resumeFold(row);
        touched.set(documentKey(kind, docId), { kind, docId, fold, countedBefore });
        if (fold === undefined && !isOversize) histories.set(documentKey(kind, docId), []);
        yield row.folded?.length ?? 0;
      }
    })(),
  );
  await foldHistories(client, touched, histories);
  return touched;
}

interface AcceptedOpText extends Omit<AcceptedOp, 'op'> {
  readonly text: string;
}

/** Folds documents without a basis from all their operations. */
async function foldHistories(
  client: pg.ClientBase,
  touched: Map<string, TouchedDocument>,
  histories: ReadonlyMap<string, AcceptedOpText[]>,
): Promise<void> {
  if (histories.size === 0) return;
  const refs = [...histories.keys()].flatMap((key) => touched.get(key) ?? []);
  const ops = await client.query<OpRow>({
    name: 'docs-ops',
    text: `SELECT o.kind, o.doc_id, o.op, o.by_person, o.author_roles FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id)
           JOIN ops o ON o.kind = k.kind AND o.doc_id = k.doc_id WHERE o.accepted ORDER BY o.seq`,
    values: [refs.map(({ kind }) => kind), refs.map(({ docId }) => docId)],
  });
  for (const row of ops.rows)
    histories
      .get(documentKey(row.kind, row.doc_id))
      ?.push({ text: row.op, by: row.by_person, roles: parseRoles(row.author_roles) });
  for (const [key, history] of histories) {
    const document = touched.get(key);
    if (document === undefined) continue;
    const { kind, docId } = document;
    const fold = await inTurns(DocumentFold.steps(kind, docId, parseEach(history)));
    touched.set(key, { ...document, fold });
    // The next operation need not fold all of it again to be held.
    if (fold.chars > FOLD_CHARS_MAX)
      await client.query('UPDATE docs SET fold_chars = $3 WHERE kind = $1 AND doc_id = $2', [kind, docId, fold.chars]);
  }
}

function* parseEach(history: readonly AcceptedOpText[]): Generator<AcceptedOp & { readonly chars: number }, void> {
  for (const { text, by, roles } of history) yield { op: JSON.parse(text) as Op, by, roles, chars: text.length };
}

function resumeFold(row: TouchedRow): DocumentFold | undefined {
  if (row.folded === null || row.fold_basis === null) return undefined;
  return DocumentFold.resume(row.kind, row.doc_id, {
    folded: JSON.parse(row.folded) as Folded,
    basis: JSON.parse(row.fold_basis) as FoldBasis,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/**
 * Adds an operation to a document.
 *
 * @param fold undefined: the document is too large to be loaded
 * @returns the reason in words if the operation must be held
 */
export function addToFold(
  fold: DocumentFold | undefined,
  taken: AcceptedOp,
  ceilings: 'keep' | 'ignore',
): string | undefined {
  if (fold === undefined || (ceilings === 'keep' && fold.chars > FOLD_CHARS_MAX)) return CEILING_MESSAGES.size;
  return fold.add(taken, ceilings);
}
