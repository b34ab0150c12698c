import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import { ReefError } from '../../src/domain/errors';
import type { PersonId } from '../../src/domain/ids';
import { splitOpId } from '../../src/domain/ids';
import { LIMITS } from '../../src/domain/limits';
import type { Op } from '../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../src/protocol/changes';
import type { ClaimedRole } from '../../src/domain/policy/claimed-roles';
import type { BlobRef, Receipt } from '../../src/protocol/receipt';
import type { AppendFacts, ChangeScope, StoreIdentity } from '../../src/server/ops/append-store';
import { parseRoles, serializeRoles } from '../../src/server/ops/author-roles';

interface FeedRow {
  readonly seq: number;
  readonly receipt: string;
  readonly op: string | null;
  readonly by_person: string | null;
}

/** Operation that was in quarantine. */
interface HeldOp {
  readonly op: Op;
  readonly by: PersonId | null;
  readonly roles: readonly ClaimedRole[];
  /** Bytes that were stored here when it was held. */
  readonly blob: BlobRef | undefined;
}

type OpValues = [number, string, string, string, string | null, number, number, string, string | null];
type FeedValues = [number, string, string, string, string, string, string, string, number, number, string];

/** Operations as sent, receipts, and the change feed made of both. Every write is called inside a transaction. */
export class Feed {
  readonly #identity: StoreIdentity;
  readonly #findReceipt: Statement<[string], { op: string; receipt: string }>;
  readonly #last: Statement<[], { seq: number }>;
  readonly #insertOp: Statement<OpValues>;
  readonly #insertFeed: Statement<FeedValues>;
  readonly #page: Statement<[number, number], FeedRow>;
  readonly #scoped: Statement<[number, string, string, number], FeedRow>;
  readonly #release: Statement<[string]>;
  readonly #held: Statement<[string], Pick<FeedRow, 'by_person'> & { op: string; author_roles: string | null }>;
  readonly #ashore: Statement<[string]>;
  readonly #updateReissuedAshore: Statement<[Pick<Receipt, 'opId' | 'kind' | 'docId' | 'sha256'>]>;
  readonly #blobAshore: Statement<[string, string]>;
  readonly #cloudReceipt: Statement<[string], { seq: number }>;
  readonly #epochSeen: Statement<[string], { seq: number }>;
  readonly #database: SqliteDatabase;
  readonly #cloudEpoch: Statement<[], { value: string }>;

  constructor(database: SqliteDatabase, identity: StoreIdentity) {
    this.#database = database;
    this.#identity = identity;
    this.#findReceipt = database.prepare(
      'SELECT ops.op, feed.receipt FROM ops JOIN feed ON feed.seq = ops.seq WHERE ops.op_id = ?',
    );
    this.#last = database.prepare('SELECT seq FROM feed ORDER BY seq DESC LIMIT 1');
    this.#insertOp = database.prepare(
      'INSERT INTO ops (seq, op_id, kind, doc_id, by_person, accepted, ashore, op, author_roles) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insertFeed = database.prepare(
      `INSERT INTO feed (seq, op_id, kind, doc_id, device, stage, node_id, store_epoch, node_seq, accepted, receipt)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (op_id, node_id, store_epoch, node_seq) DO NOTHING`,
    );
    const page =
      'SELECT feed.seq, feed.receipt, ops.op, ops.by_person FROM feed LEFT JOIN ops ON ops.seq = feed.seq WHERE feed.seq > ?';
    this.#page = database.prepare(`${page} ORDER BY feed.seq LIMIT ?`);
    this.#scoped = database.prepare(
      `${page} AND (feed.kind <> 'profile' OR feed.doc_id = ? OR feed.device = ?) ORDER BY feed.seq LIMIT ?`,
    );
    this.#release = database.prepare('UPDATE ops SET accepted = 1 WHERE op_id = ?');
    this.#held = database.prepare('SELECT op, by_person, author_roles FROM ops WHERE op_id = ? AND accepted = 0');
    this.#ashore = database.prepare('UPDATE ops SET ashore = 1 WHERE op_id = ?');
    this.#updateReissuedAshore = database.prepare(
      `UPDATE ops SET ashore = 1 WHERE kind = @kind AND doc_id = @docId AND ashore = 0 AND op_id <> @opId AND json_extract(op, '$.sha256') = @sha256
       AND EXISTS (SELECT 1 FROM ops AS later, json_each(later.op, '$.over') AS field, json_each(field.value) AS replaced
         WHERE later.op_id = @opId AND replaced.value = ops.op_id AND json_extract(later.op, '$.madeAt') = json_extract(ops.op, '$.madeAt'))`,
    );
    this.#blobAshore = database.prepare('UPDATE image_blobs SET ashore = 1 WHERE image_id = ? AND sha256 = ?');
    this.#cloudReceipt = database.prepare(
      `SELECT seq FROM feed WHERE op_id = ? AND stage = 'cloud' AND accepted = 1
       AND store_epoch = (SELECT value FROM meta WHERE key = 'cloudEpoch') LIMIT 1`,
    );
    this.#epochSeen = database.prepare("SELECT seq FROM feed WHERE stage = 'cloud' AND store_epoch = ? LIMIT 1");
    this.#cloudEpoch = database.prepare("SELECT value FROM meta WHERE key = 'cloudEpoch'");
  }

  /**
   * Returns the stored receipt of an operation.
   *
   * @param canonicalText returns the canonical JSON of the whole operation received now
   * @throws ReefError `receipt-mismatch` if another operation has this opId
   */
  findReceipt(opId: string, canonicalText: () => string): Receipt | undefined {
    const row = this.#findReceipt.get(opId);
    if (row === undefined) return undefined;
    if (row.op !== canonicalText()) {
      throw new ReefError('receipt-mismatch', {
        field: 'op.opId',
        message: 'A different operation already has this opId. Nothing was changed.',
      });
    }
    return JSON.parse(row.receipt) as Receipt;
  }

  /** Current store epoch of the cloud, taken from its receipts. */
  cloudEpoch(): string | undefined {
    return this.#cloudEpoch.get()?.value;
  }

  /** Entries are never deleted, so the number after the last was never used. */
  nextSeq(): number {
    return (this.#last.get()?.seq ?? 0) + 1;
  }

  addOp(op: Op, text: string, { by, roles }: Pick<AppendFacts, 'by' | 'roles'>, receipt: Receipt): ChangeEntry {
    const ashore = this.#cloudReceipt.get(op.opId) !== undefined;
    this.#insertOp.run(
      receipt.seq,
      op.opId,
      op.kind,
      op.docId,
      by,
      receipt.accepted ? 1 : 0,
      ashore ? 1 : 0,
      text,
      serializeRoles(roles),
    );
    if (this.#insertReceipt(receipt.seq, receipt) !== 1)
      throw new ReefError('internal', { message: 'The receipt of a new operation was there already.' });
    if (ashore) this.#markReissuedAshore(receipt);
    return { seq: receipt.seq, op, receipt, ...(op.by === undefined && by !== null ? { by } : {}) };
  }

  /** Adds another node's receipt as its own entry; returns undefined if it is already stored. */
  addForeignReceipt(receipt: Receipt): ChangeEntry | undefined {
    if (receipt.nodeId === this.#identity.nodeId && receipt.storeEpoch === this.#identity.storeEpoch) return undefined;
    const epoch = this.#cloudEpoch.get()?.value;
    const newCloud =
      receipt.stage === 'cloud' &&
      receipt.storeEpoch !== epoch &&
      this.#epochSeen.get(receipt.storeEpoch) === undefined;
    const seq = this.nextSeq();
    if (this.#insertReceipt(seq, receipt) === 0) return undefined;
    if (newCloud) this.#switchCloudEpoch(receipt.storeEpoch);
    else if (receipt.stage === 'cloud' && receipt.accepted && receipt.storeEpoch === epoch) {
      this.#ashore.run(receipt.opId);
      this.#markReissuedAshore(receipt);
      if (receipt.blob !== undefined) this.#blobAshore.run(receipt.docId, receipt.blob.sha256);
    }
    return { seq, receipt };
  }

  /** Operation in quarantine here; undefined if there is none. */
  findHeld(opId: string): HeldOp | undefined {
    const row = this.#held.get(opId);
    if (row === undefined) return undefined;
    const op = JSON.parse(row.op) as Op;
    // The refusing receipt names the bytes that were here.
    const receipt = this.#findReceipt.get(opId);
    const { blob } = JSON.parse(receipt?.receipt ?? '{}') as Partial<Receipt>;
    return {
      op,
      by: (op.by ?? row.by_person) as PersonId | null,
      roles: parseRoles(row.author_roles),
      blob: blob as BlobRef | undefined,
    };
  }

  markReleased(opId: string): void {
    this.#release.run(opId);
  }

  /** Marks the original of a reissued operation as ashore: the cloud never accepts it under its old opId. */
  #markReissuedAshore({ opId, kind, docId, sha256 }: Receipt): void {
    this.#updateReissuedAshore.run({ opId, kind, docId, sha256 });
  }

  page(query: { since: number; limit: number; scope?: ChangeScope }): ChangesPage {
    const limit = Math.max(1, Math.min(query.limit, LIMITS.changesMax));
    const { scope } = query;
    const rows =
      scope === undefined
        ? this.#page.iterate(query.since, limit)
        : this.#scoped.iterate(query.since, scope.person ?? '', scope.deviceId ?? '', limit);
    const entries: ChangeEntry[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += row.receipt.length + (row.op?.length ?? 0);
      // A thousand analyses of a megabyte each would exhaust a small box, and a tablet.
      if (bytes > LIMITS.changesBytesMax && entries.length > 0) break;
      entries.push(entryOf(row));
    }
    return { storeEpoch: this.#identity.storeEpoch, entries, next: entries.at(-1)?.seq ?? query.since };
  }

  #insertReceipt(seq: number, receipt: Receipt): number {
    const { deviceId } = splitOpId(receipt.opId);
    return this.#insertFeed.run(
      seq,
      receipt.opId,
      receipt.kind,
      receipt.docId,
      deviceId,
      receipt.stage,
      receipt.nodeId,
      receipt.storeEpoch,
      receipt.seq,
      receipt.accepted ? 1 : 0,
      JSON.stringify(receipt),
    ).changes;
  }

  /** Switches to a cloud epoch never seen before: earlier cloud receipts are void and everything is owed again. */
  #switchCloudEpoch(epoch: string): void {
    this.#database
      .prepare<[string]>(
        "INSERT INTO meta (key, value) VALUES ('cloudEpoch', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      )
      .run(epoch);
    this.#database
      .prepare<[string]>(
        "UPDATE ops SET ashore = EXISTS (SELECT 1 FROM feed WHERE feed.op_id = ops.op_id AND stage = 'cloud' AND feed.accepted = 1 AND store_epoch = ?)",
      )
      .run(epoch);
    this.#database.exec('UPDATE image_blobs SET ashore = 0');
    this.#database
      .prepare<[string]>(
        `UPDATE image_blobs SET ashore = 1 WHERE (image_id, sha256) IN
           (SELECT doc_id, json_extract(receipt, '$.blob.sha256') FROM feed WHERE kind = 'image' AND stage = 'cloud' AND accepted = 1 AND store_epoch = ?)`,
      )
      .run(epoch);
  }
}

function entryOf(row: FeedRow): ChangeEntry {
  const receipt = JSON.parse(row.receipt) as Receipt;
  if (row.op === null) return { seq: row.seq, receipt };
  const op = JSON.parse(row.op) as Op;
  return { seq: row.seq, op, receipt, ...(op.by === undefined && row.by_person !== null ? { by: row.by_person } : {}) };
}
