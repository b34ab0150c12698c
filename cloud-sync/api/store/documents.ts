import type pg from 'pg';
import type { Folded } from '../../../src/domain/fold/fold';
import type { JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { StoredDocument } from '../../../src/server/append-store';
import type { AcceptedOp, Counted, DocumentRow } from '../../../src/server/document-row';
import { documentRow } from '../../../src/server/document-row';

interface DocsRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly folded: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly owned: string | null;
  readonly images: number | null;
  readonly analyses: number | null;
  readonly experts: number | null;
}

/** A document that operations of this transaction touch: the accepted ones before, and what it counted. */
export interface Touched {
  readonly kind: OpKind;
  readonly docId: string;
  readonly accepted: AcceptedOp[];
  readonly countedBefore: string | undefined;
}

const COLUMNS = `d.kind, d.doc_id, d.folded, d.created_at, d.updated_at, o.owned,
  (SELECT n FROM counters WHERE d.kind = 'survey' AND name = 'survey.images' AND id = d.doc_id) AS images,
  (SELECT n FROM counters WHERE d.kind = 'image' AND name = 'image.analyses' AND id = d.doc_id) AS analyses,
  (SELECT n FROM counters WHERE d.kind = 'image' AND name = 'image.analyses_expert' AND id = d.doc_id) AS experts
  FROM docs d LEFT JOIN owned_fields o ON o.kind = d.kind AND o.doc_id = d.doc_id`;

/** How a document is named among others. */
export function keyOf(kind: OpKind, docId: string): string {
  return `${kind} ${docId}`;
}

/** Loads what is there of documents, by {@link keyOf}; those that are not there yet come empty. */
export async function loadTouched(client: pg.ClientBase, wanted: ReadonlyMap<string, { readonly kind: OpKind; readonly docId: string }>): Promise<Map<string, Touched>> {
  const keys = [...wanted.values()];
  const values = [keys.map(({ kind }) => kind), keys.map(({ docId }) => docId)];
  const docs = await client.query<{ kind: OpKind; doc_id: string; counted: string }>({
    name: 'docs-touched',
    text: 'SELECT d.kind, d.doc_id, d.counted FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id) JOIN docs d ON d.kind = k.kind AND d.doc_id = k.doc_id',
    values,
  });
  const counted = new Map(docs.rows.map((row) => [keyOf(row.kind, row.doc_id), row.counted]));
  const touched = new Map(keys.map(({ kind, docId }) => [keyOf(kind, docId), { kind, docId, accepted: [] as AcceptedOp[], countedBefore: counted.get(keyOf(kind, docId)) }]));
  // Most documents have one operation: there is nothing before it to look for.
  if (docs.rows.length === 0) return touched;
  const ops = await client.query<{ kind: OpKind; doc_id: string; op: string; by_person: string | null }>({
    name: 'docs-ops',
    text: `SELECT o.kind, o.doc_id, o.op, o.by_person FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id)
           JOIN ops o ON o.kind = k.kind AND o.doc_id = k.doc_id WHERE o.accepted ORDER BY o.seq`,
    values: [docs.rows.map(({ kind }) => kind), docs.rows.map(({ doc_id: id }) => id)],
  });
  for (const row of ops.rows) touched.get(keyOf(row.kind, row.doc_id))?.accepted.push({ op: JSON.parse(row.op) as Op, by: row.by_person });
  return touched;
}

/** A document's row after its operations, and what it counted before. */
export interface Folding {
  readonly row: DocumentRow;
  readonly countedBefore: string | undefined;
}

/** Writes documents and the counters that change with them. */
export async function putDocuments(client: pg.ClientBase, foldings: readonly Folding[]): Promise<void> {
  if (foldings.length === 0) return;
  const rows = foldings.map(({ row }) => row);
  const counted = rows.map((row) => JSON.stringify(row.counted));
  await client.query({
    name: 'docs-put',
    text: `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[])
           ON CONFLICT (kind, doc_id) DO UPDATE SET folded = excluded.folded, deleted = excluded.deleted, created_at = excluded.created_at,
             updated_at = excluded.updated_at, survey_id = excluded.survey_id, counted = excluded.counted`,
    values: [
      rows.map(({ kind }) => kind), rows.map(({ docId }) => docId), rows.map(({ folded }) => JSON.stringify(folded)), rows.map(({ folded }) => folded.deleted),
      rows.map(({ createdAt }) => createdAt), rows.map(({ updatedAt }) => updatedAt), rows.map(({ surveyId }) => storable(surveyId)), counted,
    ],
  });
  const changes = new Map<string, { name: string; id: string; n: number }>();
  const count = ([name, id]: Counted, by: number): void => {
    const key = `${name} ${id}`;
    const change = changes.get(key) ?? { name, id, n: 0 };
    change.n += by;
    changes.set(key, change);
  };
  for (const [index, { row, countedBefore }] of foldings.entries()) {
    if (counted[index] === countedBefore) continue;
    for (const one of countedBefore === undefined ? [] : (JSON.parse(countedBefore) as Counted[])) count(one, -1);
    for (const one of row.counted) count(one, 1);
  }
  const moved = [...changes.values()].filter(({ n, id }) => n !== 0 && storable(id) !== null);
  if (moved.length === 0) return;
  await client.query({
    name: 'counters-add',
    text: `INSERT INTO counters (name, id, n) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
           ON CONFLICT (name, id) DO UPDATE SET n = counters.n + excluded.n`,
    values: [moved.map(({ name }) => name), moved.map(({ id }) => id), moved.map(({ n }) => n)],
  });
}

/** More of a column than an index takes, or a character that PostgreSQL's text cannot hold: not looked for by it. */
export function storable(text: string | null, most = 200): string | null {
  return text === null || text.length > most || text.includes('\u0000') ? null : text;
}

/** Operations read at a time while everything is computed anew. */
const REBUILD_PAGE = 500;

/** Computes all documents and counters anew. Gives the number of documents. */
export async function rebuildDocuments(client: pg.ClientBase): Promise<number> {
  await client.query('DELETE FROM docs');
  await client.query('DELETE FROM counters');
  let count = 0;
  for (let after = { kind: '', id: '' }; ; ) {
    const { rows } = await client.query<{ kind: OpKind; doc_id: string; ops: { op: string; by: string | null }[] }>(
      `SELECT kind, doc_id, json_agg(json_build_object('op', op, 'by', by_person) ORDER BY seq) AS ops FROM ops
       WHERE accepted AND (kind, doc_id) > ($1, $2) GROUP BY kind, doc_id ORDER BY kind, doc_id LIMIT $3`,
      [after.kind, after.id, REBUILD_PAGE],
    );
    const last = rows.at(-1);
    if (last === undefined) return count;
    const foldings = rows.map(({ kind, doc_id: docId, ops }) => ({
      row: documentRow(kind, docId, ops.map(({ op, by }) => ({ op: JSON.parse(op) as Op, by }))),
      countedBefore: undefined,
    }));
    await putDocuments(client, foldings);
    count += rows.length;
    after = { kind: last.kind, id: last.doc_id };
  }
}

export async function getDocument(pool: pg.Pool, kind: OpKind, id: string): Promise<StoredDocument | undefined> {
  const { rows } = await pool.query<DocsRow>({ name: 'docs-get', text: `SELECT ${COLUMNS} WHERE d.kind = $1 AND d.doc_id = $2`, values: [kind, id] });
  return rows[0] === undefined ? undefined : stored(rows[0]);
}

export async function listDocuments(pool: pg.Pool, kind: OpKind, surveyId?: string): Promise<StoredDocument[]> {
  const narrowed = surveyId === undefined ? '' : 'AND d.survey_id = $2';
  const { rows } = await pool.query<DocsRow>(`SELECT ${COLUMNS} WHERE d.kind = $1 AND NOT d.deleted ${narrowed} ORDER BY d.doc_id`, surveyId === undefined ? [kind] : [kind, surveyId]);
  return rows.map(stored);
}

function stored(row: DocsRow): StoredDocument {
  return { kind: row.kind, id: row.doc_id, folded: JSON.parse(row.folded) as Folded, createdAt: row.created_at, updatedAt: row.updated_at, owned: ownedOf(row) };
}

/** The counters and what else the cloud knows, nested as the catalogue of server-owned fields names them. */
function ownedOf({ kind, owned, images, analyses, experts }: DocsRow): JsonObject {
  const kept = owned === null ? {} : (JSON.parse(owned) as JsonObject);
  const meta = isObject(kept['meta']) ? (kept['meta'] as JsonObject) : {};
  if (kind === 'survey') return { ...kept, meta: { ...meta, images: { total: images ?? 0 } } };
  if (kind === 'image') return { ...kept, meta: { ...meta, analysis: { total: analyses ?? 0 }, analysis_expert: { total: experts ?? 0 } } };
  return kept;
}
