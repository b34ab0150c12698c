import type pg from 'pg';
import type { Folded } from '../../../src/domain/fold/fold';
import { documentOf } from '../../../src/domain/fold/project';
import type { JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { DocumentRef, StoredDocument } from '../../../src/server/ops/append-store';
import type { CounterRef, CounterName, DocumentRow } from '../../../src/server/ops/document-row';
import { documentRow, inTurns } from '../../../src/server/ops/document-fold';
import { withConfirmedRoles } from '../../../src/domain/policy/claimed-roles';
import { parseRoles, serializeRoles } from '../../../src/server/ops/author-roles';
import { columnsOf, storableText } from './document-columns';
import { addToLabelPool, countLabelPeople, moveLabelRegions, setLabelPriorities } from './label-pool';
import type { Sized } from './document-sizes';
import { inPortions, loadSizes } from './document-sizes';

interface OwnedRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly owned: string | null;
  readonly images: number | null;
  readonly analyses: number | null;
  readonly experts: number | null;
}

interface DocsRow extends OwnedRow {
  readonly folded: string;
  readonly author_roles: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const OWNED = `d.kind, d.doc_id, o.owned,
  (SELECT n FROM counters WHERE d.kind = 'survey' AND name = 'survey.images' AND id = d.doc_id) AS images,
  (SELECT n FROM counters WHERE d.kind = 'image' AND name = 'image.analyses' AND id = d.doc_id) AS analyses,
  (SELECT n FROM counters WHERE d.kind = 'image' AND name = 'image.analyses_expert' AND id = d.doc_id) AS experts`;

const COLUMNS = `${OWNED}, d.folded, d.author_roles, d.created_at, d.updated_at FROM docs d LEFT JOIN owned_fields o ON o.kind = d.kind AND o.doc_id = d.doc_id`;

const OF_MANY = `SELECT ${COLUMNS} JOIN unnest($1::text[], $2::text[]) AS k(kind, doc_id) ON k.kind = d.kind AND k.doc_id = d.doc_id`;

export function documentKey(kind: OpKind, docId: string): string {
  return `${kind} ${docId}`;
}

/** Returns which documents exist, by {@link documentKey}. */
export async function whichExist(client: pg.ClientBase, refs: readonly DocumentRef[]): Promise<readonly string[]> {
  if (refs.length === 0) return [];
  const { rows } = await client.query<{ kind: OpKind; doc_id: string }>({
    name: 'docs-exist',
    text: 'SELECT d.kind, d.doc_id FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id) JOIN docs d ON d.kind = k.kind AND d.doc_id = k.doc_id',
    values: [refs.map(({ kind }) => kind), refs.map(({ docId }) => docId)],
  });
  return rows.map(({ kind, doc_id }) => documentKey(kind, doc_id));
}

export interface FoldedDocument {
  readonly row: DocumentRow;
  readonly countedBefore: string | undefined;
}

/** Writes documents, their counters and the read rows. */
export async function putDocuments(client: pg.ClientBase, foldings: readonly FoldedDocument[]): Promise<void> {
  if (foldings.length === 0) return;
  const moved = await updateCounters(client, foldings);
  const rows = foldings.map(({ row }) => row);
  const put = new Map(rows.map((row) => [documentKey(row.kind, row.docId), row]));
  const owned = await loadServerOwned(client, rows);
  const columns = rows.map(columnsOf);
  const texts = await inTurns(rowTexts(rows, owned));
  await client.query({
    name: 'docs-put',
    text: `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, shown, owner, date, region_id, loc_id, email, private, card, author_roles, image_id, fold_basis, fold_chars, name)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[], $16::text[], $17::text[], $18::text[], $19::text[], $20::bigint[], $21::text[])
           ON CONFLICT (kind, doc_id) DO UPDATE SET folded = excluded.folded, deleted = excluded.deleted, created_at = excluded.created_at,
             updated_at = excluded.updated_at, survey_id = excluded.survey_id, counted = excluded.counted, shown = excluded.shown, owner = excluded.owner,
             date = excluded.date, region_id = excluded.region_id, loc_id = excluded.loc_id, email = excluded.email, private = excluded.private, card = excluded.card, author_roles = excluded.author_roles, image_id = excluded.image_id, fold_basis = excluded.fold_basis, fold_chars = excluded.fold_chars, name = excluded.name`,
    values: [
      rows.map(({ kind }) => kind),
      rows.map(({ docId }) => docId),
      texts.map(({ folded }) => folded),
      rows.map(({ folded }) => folded.deleted),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ updatedAt }) => updatedAt),
      rows.map(({ surveyId }) => storableText(surveyId)),
      rows.map(({ counted }) => JSON.stringify(counted)),
      texts.map(({ shown }) => shown),
      columns.map(({ owner }) => owner),
      columns.map(({ date }) => date ?? ''),
      columns.map(({ regionId }) => regionId),
      columns.map(({ locId }) => locId),
      columns.map(({ email }) => email),
      columns.map(({ isPrivate }) => isPrivate),
      columns.map(({ card }) => card),
      rows.map(({ roles }) => serializeRoles(roles)),
      columns.map(({ imageId }) => imageId),
      texts.map(({ basis }) => basis),
      rows.map(({ basis }) => basis.chars),
      columns.map(({ name }) => name),
    ],
  });
  await countLabelPeople(client, [...new Set(columns.flatMap(({ imageId }) => imageId ?? []))]);
  await moveLabelRegions(
    client,
    rows.flatMap(({ kind, docId: id }, index) =>
      kind === 'survey' ? [{ id, regionId: columns[index]?.regionId ?? null }] : [],
    ),
  );
  await refreshReadRows(
    client,
    moved.filter(({ kind, docId }) => !put.has(documentKey(kind, docId))),
  );
}

interface RowTexts {
  readonly folded: string;
  readonly basis: string;
  readonly shown: string;
}

/** Texts of rows, one a step. */
function* rowTexts(
  rows: readonly DocumentRow[],
  owned: ReadonlyMap<string, JsonObject>,
): Generator<number, readonly RowTexts[]> {
  const texts: RowTexts[] = [];
  for (const row of rows) {
    const folded = JSON.stringify(row.folded);
    yield folded.length;
    const shown = readRowText({ ...row, id: row.docId, owned: owned.get(documentKey(row.kind, row.docId)) ?? {} });
    texts.push({ folded, shown, basis: JSON.stringify(row.basis) });
    yield shown.length;
  }
  return texts;
}

/** Updates the counters; returns the documents that show them. */
async function updateCounters(client: pg.ClientBase, foldings: readonly FoldedDocument[]): Promise<DocumentRef[]> {
  const changes = new Map<string, { name: CounterName; id: string; n: number }>();
  const count = ([name, id]: CounterRef, by: number): void => {
    const key = `${name} ${id}`;
    const change = changes.get(key) ?? { name, id, n: 0 };
    change.n += by;
    changes.set(key, change);
  };
  for (const { row, countedBefore } of foldings) {
    if (JSON.stringify(row.counted) === countedBefore) continue;
    for (const one of countedBefore === undefined ? [] : (JSON.parse(countedBefore) as CounterRef[])) count(one, -1);
    for (const one of row.counted) count(one, 1);
  }
  const moved = [...changes.values()].filter(({ n, id }) => n !== 0 && storableText(id) !== null);
  if (moved.length === 0) return [];
  await client.query({
    name: 'counters-add',
    text: `INSERT INTO counters (name, id, n) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
           ON CONFLICT (name, id) DO UPDATE SET n = counters.n + excluded.n`,
    values: [moved.map(({ name }) => name), moved.map(({ id }) => id), moved.map(({ n }) => n)],
  });
  const shown = moved.flatMap(({ name, id }): DocumentRef[] =>
    name === 'person.analyses' ? [] : [{ kind: name === 'survey.images' ? 'survey' : 'image', docId: id }],
  );
  return [...new Map(shown.map((one) => [documentKey(one.kind, one.docId), one])).values()];
}

async function loadServerOwned(client: pg.ClientBase, names: readonly DocumentRef[]): Promise<Map<string, JsonObject>> {
  const { rows } = await client.query<OwnedRow>({
    name: 'docs-owned',
    text: `SELECT ${OWNED} FROM unnest($1::text[], $2::text[]) AS d(kind, doc_id) LEFT JOIN owned_fields o ON o.kind = d.kind AND o.doc_id = d.doc_id`,
    values: [names.map(({ kind }) => kind), names.map(({ docId }) => docId)],
  });
  return new Map(rows.map((row) => [documentKey(row.kind, row.doc_id), serverOwnedOf(row)]));
}

/** Refreshes read rows of documents whose server-owned fields changed, large ones apart. */
async function refreshReadRows(client: pg.ClientBase, names: readonly DocumentRef[]): Promise<void> {
  if (names.length === 0) return;
  const sizes = await loadSizes(client, names);
  const sizedOf = ({ kind, docId }: DocumentRef): Sized => ({ document: documentKey(kind, docId), chars: 0 });
  for (const portion of inPortions(names, sizes, sizedOf)) {
    const { rows } = await client.query<DocsRow>({
      name: 'docs-of-many',
      text: OF_MANY,
      values: [portion.map(({ kind }) => kind), portion.map(({ docId }) => docId)],
    });
    if (rows.length === 0) continue;
    await client.query({
      name: 'docs-show-again',
      text: `UPDATE docs d SET shown = k.shown FROM unnest($1::text[], $2::text[], $3::text[]) AS k(kind, doc_id, shown) WHERE d.kind = k.kind AND d.doc_id = k.doc_id`,
      values: [
        rows.map(({ kind }) => kind),
        rows.map(({ doc_id: id }) => id),
        rows.map((row) => readRowText(toStoredDocument(row))),
      ],
    });
  }
}

/** Sets server-owned fields; others stay. `null` removes one. */
export async function setOwned(client: pg.ClientBase, { kind, docId }: DocumentRef, fields: JsonObject): Promise<void> {
  const { rows } = await client.query<{ owned: string }>(
    'SELECT owned FROM owned_fields WHERE kind = $1 AND doc_id = $2',
    [kind, docId],
  );
  const before = rows[0] === undefined ? {} : (JSON.parse(rows[0].owned) as JsonObject);
  const after = Object.fromEntries(Object.entries({ ...before, ...fields }).filter(([, value]) => value !== null));
  await client.query(
    'INSERT INTO owned_fields (kind, doc_id, owned) VALUES ($1, $2, $3) ON CONFLICT (kind, doc_id) DO UPDATE SET owned = excluded.owned',
    [kind, docId, JSON.stringify(after)],
  );
  if (kind === 'image' && fields['ml'] === true) await addToLabelPool(client, docId);
  if (kind === 'survey' && fields['priority'] !== undefined) await setLabelPriorities(client, docId);
  await refreshReadRows(client, [{ kind, docId }]);
}

/** Documents per page of a rebuild. */
const REBUILD_PAGE = 500;

/** Recomputes all documents and counters; returns the number of documents. */
export async function rebuildDocuments(client: pg.ClientBase): Promise<number> {
  await client.query('DELETE FROM docs');
  await client.query('DELETE FROM counters');
  let count = 0;
  for (let after = { kind: '', id: '' }; ;) {
    const { rows } = await client.query<{
      kind: OpKind;
      doc_id: string;
      ops: { op: string; by: string | null; roles: string | null }[];
    }>(
      `SELECT kind, doc_id, json_agg(json_build_object('op', op, 'by', by_person, 'roles', author_roles) ORDER BY seq) AS ops FROM ops
       WHERE accepted AND (kind, doc_id) > ($1, $2) GROUP BY kind, doc_id ORDER BY kind, doc_id LIMIT $3`,
      [after.kind, after.id, REBUILD_PAGE],
    );
    const last = rows.at(-1);
    if (last === undefined) return count;
    const foldings = rows.map(({ kind, doc_id: docId, ops }) => ({
      row: documentRow(
        kind,
        docId,
        ops.map(({ op, by, roles }) => ({ op: JSON.parse(op) as Op, by, roles: parseRoles(roles) })),
      ),
      countedBefore: undefined,
    }));
    await putDocuments(client, foldings);
    count += rows.length;
    after = { kind: last.kind, id: last.doc_id };
  }
}

/** True if an older version left rows without read text. */
export async function hasMissingReadRows(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM docs WHERE shown IS NULL LIMIT 1');
  return rowCount === 1;
}

export async function getDocuments(pool: pg.Pool, keys: readonly string[]): Promise<Map<string, StoredDocument>> {
  const names = keys.map((key) => key.split(' ') as [OpKind, string]);
  const { rows } = await pool.query<DocsRow>({
    name: 'docs-of-many',
    text: OF_MANY,
    values: [names.map(([kind]) => kind), names.map(([, id]) => id)],
  });
  return new Map(rows.map((row) => [documentKey(row.kind, row.doc_id), toStoredDocument(row)]));
}

function toStoredDocument(row: DocsRow): StoredDocument {
  return {
    kind: row.kind,
    id: row.doc_id,
    folded: JSON.parse(row.folded) as Folded,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    roles: parseRoles(row.author_roles),
    owned: serverOwnedOf(row),
  };
}

/** Document as readers get it, with its author's roles as confirmed by the cloud. */
function readRowText(
  document: Pick<StoredDocument, 'kind' | 'id' | 'folded' | 'createdAt' | 'updatedAt' | 'owned' | 'roles'>,
): string {
  return JSON.stringify(withConfirmedRoles(document.kind, documentOf(document), document.roles));
}

/** Counters and other server-owned fields, nested as in the catalogue. */
function serverOwnedOf({ kind, owned, images, analyses, experts }: OwnedRow): JsonObject {
  const fields = owned === null ? {} : (JSON.parse(owned) as JsonObject);
  const meta = isObject(fields['meta']) ? (fields['meta'] as JsonObject) : {};
  if (kind === 'survey') return { ...fields, meta: { ...meta, images: { total: images ?? 0 } } };
  if (kind === 'image')
    return {
      ...fields,
      meta: { ...meta, analysis: { total: analyses ?? 0 }, analysis_expert: { total: experts ?? 0 } },
    };
  return fields;
}
