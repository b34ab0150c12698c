import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import { CEILING_MESSAGES } from '../../src/domain/fold/ceilings';
import type { Folded } from '../../src/domain/fold/fold';
import type { JsonObject } from '../../src/domain/json';
import type { Op, OpKind } from '../../src/domain/op/op';
import { docKeyOf } from '../../src/domain/op/op';
import type { StoredDocument } from '../../src/server/ops/append-store';
import type { AcceptedOp, CounterRef, CounterName, DocumentRow, FoldBasis } from '../../src/server/ops/document-row';
import { parseRoles, serializeRoles } from '../../src/server/ops/author-roles';
import { DocumentFold, documentRow, FOLD_CHARS_MAX, inTurns } from '../../src/server/ops/document-fold';

interface FoldRow {
  readonly folded: string;
  readonly fold_basis: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Facts about a stored document that need no fold. */
interface HeadRow {
  readonly counted: string;
  readonly fold_chars: number | null;
  readonly size: number;
}

/** Folded history of a document from before this version, prepared outside of the transaction. */
interface PreparedFold {
  readonly lastSeq: number;
  readonly fold: DocumentFold;
}

interface DocumentTableRow {
  readonly kind: OpKind;
  readonly doc_id: string;
  readonly folded: string;
  readonly author_roles: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface OpRow {
  readonly seq: number;
  readonly op: string;
  readonly by_person: string | null;
  readonly author_roles: string | null;
}

type DocumentValues = [
  OpKind,
  string,
  string,
  number,
  string,
  string,
  string | null,
  string,
  string | null,
  string,
  number,
];

/** History of a document without a stored basis that is still folded at once, characters of its operations. */
const HISTORY_AT_ONCE = 256 * 1024;
/** Prepared documents in memory; another version of the software wrote them, and each is needed once. */
const PREPARED_MAX = 16;

/** Result of an operation for its document: a reason in words if it breaks a ceiling; `chars` of work done. */
interface Applied {
  readonly problem: string | undefined;
  readonly chars: number;
}

/** Documents and counters, computed from the accepted operations in the transaction that stores one. */
export class Documents {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, PreparedFold>();
  readonly #head: Statement<[string, string], HeadRow>;
  readonly #fold: Statement<[string, string], FoldRow>;
  readonly #opsOf: Statement<[string, string, number], OpRow>;
  readonly #history: Statement<[string, string], { chars: number; last: number }>;
  readonly #withoutBasis: Statement<[string, string], { fold_chars: number | null }>;
  readonly #setChars: Statement<[number, string, string]>;
  readonly #put: Statement<DocumentValues>;
  readonly #count: Statement<[string, string, number]>;
  readonly #counter: Statement<[string, string], { n: number }>;
  readonly #one: Statement<[string, string], DocumentTableRow>;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#head = database.prepare(
      'SELECT counted, fold_chars, length(CAST(folded AS BLOB)) AS size FROM docs WHERE kind = ? AND doc_id = ?',
    );
    this.#fold = database.prepare(
      'SELECT folded, fold_basis, created_at, updated_at FROM docs WHERE kind = ? AND doc_id = ? AND fold_basis IS NOT NULL',
    );
    this.#opsOf = database.prepare(
      'SELECT seq, op, by_person, author_roles FROM ops WHERE kind = ? AND doc_id = ? AND seq > ? AND accepted = 1 ORDER BY seq',
    );
    this.#history = database.prepare(
      'SELECT sum(length(CAST(op AS BLOB))) AS chars, max(seq) AS last FROM ops WHERE kind = ? AND doc_id = ? AND accepted = 1',
    );
    this.#withoutBasis = database.prepare(
      'SELECT fold_chars FROM docs WHERE kind = ? AND doc_id = ? AND fold_basis IS NULL',
    );
    this.#setChars = database.prepare('UPDATE docs SET fold_chars = ? WHERE kind = ? AND doc_id = ?');
    this.#put = database.prepare(
      `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, author_roles, fold_basis, fold_chars)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, doc_id) DO UPDATE SET folded = excluded.folded, deleted = excluded.deleted, created_at = excluded.created_at,
         updated_at = excluded.updated_at, survey_id = excluded.survey_id, counted = excluded.counted, author_roles = excluded.author_roles,
         fold_basis = excluded.fold_basis, fold_chars = excluded.fold_chars`,
    );
    this.#count = database.prepare(
      'INSERT INTO counters (name, id, n) VALUES (?, ?, ?) ON CONFLICT (name, id) DO UPDATE SET n = n + excluded.n',
    );
    this.#counter = database.prepare('SELECT n FROM counters WHERE name = ? AND id = ?');
    this.#one = database.prepare(
      'SELECT kind, doc_id, folded, author_roles, created_at, updated_at FROM docs WHERE kind = ? AND doc_id = ?',
    );
  }

  /**
   * Adds an operation to its document. The work grows with the operation and the live values, not with the history.
   *
   * @param ceilings `keep`: it is not added if it breaks one
   */
  applyOp(taken: AcceptedOp, ceilings: 'keep' | 'ignore'): Applied {
    const { op } = taken;
    const head = this.#head.get(op.kind, op.docId);
    if (head === undefined) return this.#add(new DocumentFold(op.kind, op.docId), taken, ceilings, undefined);
    if (ceilings === 'keep' && isOversize(head.fold_chars)) return { problem: CEILING_MESSAGES.size, chars: 0 };
    const fold = this.#resume(op.kind, op.docId);
    if (ceilings === 'keep' && isOversize(fold.chars)) {
      this.#setChars.run(fold.chars, op.kind, op.docId);
      return { problem: CEILING_MESSAGES.size, chars: fold.chars };
    }
    const { problem, chars } = this.#add(fold, taken, ceilings, head.counted);
    return { problem, chars: chars + head.size };
  }

  /** True for a document from before this version whose history is too long to be folded inside a transaction. */
  isUnprepared(kind: OpKind, docId: string, ceilings: 'keep' | 'ignore'): boolean {
    const row = this.#withoutBasis.get(kind, docId);
    if (row === undefined || (ceilings === 'keep' && isOversize(row.fold_chars))) return false;
    const { chars, last } = this.#historyOf(kind, docId);
    return chars > HISTORY_AT_ONCE && this.#prepared.get(docKeyOf(kind, docId))?.lastSeq !== last;
  }

  /** Folds such a document in turns, outside of the transaction of its next operation. */
  async prepare(kind: OpKind, docId: string): Promise<void> {
    const { last } = this.#historyOf(kind, docId);
    const fold = await inTurns(DocumentFold.steps(kind, docId, this.#eachAcceptedOp(kind, docId, last)));
    if (this.#prepared.size >= PREPARED_MAX) this.#prepared.clear();
    this.#prepared.set(docKeyOf(kind, docId), { lastSeq: last, fold });
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

  #add(fold: DocumentFold, taken: AcceptedOp, ceilings: 'keep' | 'ignore', countedBefore: string | undefined): Applied {
    const problem = fold.add(taken, ceilings);
    return { problem, chars: problem === undefined ? this.#write(fold.row(), countedBefore) : 0 };
  }

  #historyOf(kind: OpKind, docId: string): { readonly chars: number; readonly last: number } {
    return this.#history.get(kind, docId) ?? { chars: 0, last: 0 };
  }

  #resume(kind: OpKind, docId: string): DocumentFold {
    const row = this.#fold.get(kind, docId);
    if (row !== undefined) {
      const { folded, fold_basis: basis, created_at: createdAt, updated_at: updatedAt } = row;
      const fold = DocumentFold.resume(kind, docId, {
        folded: JSON.parse(folded) as Folded,
        basis: JSON.parse(basis) as FoldBasis,
        createdAt,
        updatedAt,
      });
      if (fold !== undefined) return fold;
    }
    const key = docKeyOf(kind, docId);
    const prepared = this.#prepared.get(key);
    this.#prepared.delete(key);
    return prepared !== undefined && prepared.lastSeq === this.#historyOf(kind, docId).last
      ? prepared.fold
      : DocumentFold.of(kind, docId, this.#acceptedOps(kind, docId));
  }

  #acceptedOps(kind: OpKind, docId: string): AcceptedOp[] {
    return this.#opsOf.all(kind, docId, 0).map(acceptedOpOf);
  }

  /** Accepted operations one by one; the database is free between two. */
  *#eachAcceptedOp(kind: OpKind, docId: string, last: number): Generator<AcceptedOp & { chars: number }, void> {
    for (let row = this.#opsOf.get(kind, docId, 0); row !== undefined; row = this.#opsOf.get(kind, docId, row.seq)) {
      if (row.seq > last) return;
      yield { ...acceptedOpOf(row), chars: row.op.length };
    }
  }

  /** @returns characters written */
  #write(row: DocumentRow, countedBefore: string | undefined): number {
    const counted = JSON.stringify(row.counted);
    const folded = JSON.stringify(row.folded);
    const basis = JSON.stringify(row.basis);
    this.#put.run(
      row.kind,
      row.docId,
      folded,
      row.folded.deleted ? 1 : 0,
      row.createdAt,
      row.updatedAt,
      row.surveyId,
      counted,
      serializeRoles(row.roles),
      basis,
      row.basis.chars,
    );
    const chars = folded.length + basis.length;
    this.#updateCounters(row, counted, countedBefore);
    return chars;
  }

  #updateCounters(row: DocumentRow, counted: string, countedBefore: string | undefined): void {
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

/** True for a document that is not even folded to see whether an operation makes it smaller. */
function isOversize(chars: number | null): boolean {
  return (chars ?? 0) > FOLD_CHARS_MAX;
}

function acceptedOpOf({ op, by_person: by, author_roles: roles }: OpRow): AcceptedOp {
  return { op: JSON.parse(op) as Op, by, roles: parseRoles(roles) };
}
