import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import type { Folded } from '../../src/domain/fold/fold';
import type { JsonObject } from '../../src/domain/json';
import type { Op, OpKind } from '../../src/domain/op/op';
import type { StoredDocument } from '../../src/server/ops/append-store';
import type { AcceptedOp, CounterRef, CounterName, DocumentRow } from '../../src/server/ops/document-row';
import { parseRoles, serializeRoles } from '../../src/server/ops/author-roles';
import { documentRow } from '../../src/server/ops/document-row';

interface DocumentTableRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly folded: string;
  readonly author_roles: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

type DocumentValues = [OpKind, string, string, number, string, string, string | null, string, string | null];

/** Documents and counters, computed from the accepted operations in the transaction that stores one. */
export class Documents {
  readonly #database: SqliteDatabase;
  readonly #counted: Statement<[string, string], { counted: string }>;
  readonly #opsOf: Statement<[string, string], { op: string; by_person: string | null; author_roles: string | null }>;
  readonly #put: Statement<DocumentValues>;
  readonly #count: Statement<[string, string, number]>;
  readonly #counter: Statement<[string, string], { n: number }>;
  readonly #one: Statement<[string, string], DocumentTableRow>;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#counted = database.prepare('SELECT counted FROM docs WHERE kind = ? AND doc_id = ?');
    this.#opsOf = database.prepare(
      'SELECT op, by_person, author_roles FROM ops WHERE kind = ? AND doc_id = ? AND accepted = 1 ORDER BY seq',
    );
    this.#put = database.prepare(
      `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, author_roles)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, doc_id) DO UPDATE SET folded = excluded.folded, deleted = excluded.deleted, created_at = excluded.created_at,
         updated_at = excluded.updated_at, survey_id = excluded.survey_id, counted = excluded.counted, author_roles = excluded.author_roles`,
    );
    this.#count = database.prepare(
      'INSERT INTO counters (name, id, n) VALUES (?, ?, ?) ON CONFLICT (name, id) DO UPDATE SET n = n + excluded.n',
    );
    this.#counter = database.prepare('SELECT n FROM counters WHERE name = ? AND id = ?');
    this.#one = database.prepare(
      'SELECT kind, doc_id, folded, author_roles, created_at, updated_at FROM docs WHERE kind = ? AND doc_id = ?',
    );
  }

  applyOp(taken: AcceptedOp): void {
    const { op } = taken;
    const before = this.#counted.get(op.kind, op.docId);
    // The first operation needs no other, and most documents have only one.
    const accepted = before === undefined ? [taken] : this.#acceptedOps(op.kind, op.docId);
    this.#write(documentRow(op.kind, op.docId, accepted), before?.counted);
  }

  /** Recomputes all documents and counters. Returns the number of documents. */
  rebuild(): number {
    this.#database.exec('DELETE FROM docs; DELETE FROM counters;');
    const docs = this.#database
      .prepare<[], { kind: OpKind; doc_id: string }>('SELECT DISTINCT kind, doc_id FROM ops WHERE accepted = 1')
      .all();
    for (const { kind, doc_id } of docs)
      this.#write(documentRow(kind, doc_id, this.#acceptedOps(kind, doc_id)), undefined);
    return docs.length;
  }

  get(kind: OpKind, id: string): StoredDocument | undefined {
    const row = this.#one.get(kind, id);
    return row === undefined ? undefined : this.#toStoredDocument(row);
  }

  counter(name: CounterName, id: string): number {
    return this.#counter.get(name, id)?.n ?? 0;
  }

  #acceptedOps(kind: OpKind, docId: string): AcceptedOp[] {
    return this.#opsOf
      .all(kind, docId)
      .map(({ op, by_person: by, author_roles: roles }) => ({
        op: JSON.parse(op) as Op,
        by,
        roles: parseRoles(roles),
      }));
  }

  #write(row: DocumentRow, countedBefore: string | undefined): void {
    const counted = JSON.stringify(row.counted);
    this.#put.run(
      row.kind,
      row.docId,
      JSON.stringify(row.folded),
      row.folded.deleted ? 1 : 0,
      row.createdAt,
      row.updatedAt,
      row.surveyId,
      counted,
      serializeRoles(row.roles),
    );
    if (counted === countedBefore) return;
    for (const [name, id] of countedBefore === undefined ? [] : (JSON.parse(countedBefore) as CounterRef[]))
      this.#count.run(name, id, -1);
    for (const [name, id] of row.counted) this.#count.run(name, id, 1);
  }

  #toStoredDocument(row: DocumentTableRow): StoredDocument {
    return {
      kind: row.kind,
      id: row.doc_id,
      folded: JSON.parse(row.folded) as Folded,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      roles: parseRoles(row.author_roles),
      owned: this.#serverOwnedFields(row.kind, row.doc_id),
    };
  }

  /** Server-owned fields known to a box; the cloud knows the others. */
  #serverOwnedFields(kind: OpKind, id: string): JsonObject {
    if (kind === 'survey') return { meta: { images: { total: this.counter('survey.images', id) } } };
    if (kind === 'image') {
      return {
        meta: {
          analysis: { total: this.counter('image.analyses', id) },
          analysis_expert: { total: this.counter('image.analyses_expert', id) },
        },
      };
    }
    return {};
  }
}
