import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import type { Sha256 } from '../../src/domain/ids';
import type { Op } from '../../src/domain/op/op';
import type { BlobRef, Receipt } from '../../src/protocol/receipt';
import { blobOf } from '../../src/protocol/receipt';

/** Receipts looked at in one go; in between, the box goes on with everything else. */
const PAGE_ROWS = 1000;

/** A photograph whose bytes have the cloud's receipt, in the order in which those receipts were verified here. */
export interface ReceiptedBytes {
  readonly seq: number;
  readonly sha256: Sha256;
  readonly bytes: number;
  /** When the cloud stored them, by its clock. */
  readonly storedAt: string;
  /** Whether the bytes are here still. */
  readonly isHere: boolean;
}

/** All that has to be proven before bytes may go: every operation of every record that names them, each with the cloud's receipt. */
export interface FreeingEvidence {
  readonly blob: BlobRef;
  readonly cloudEpoch: string;
  readonly proofs: readonly { readonly op: Op; readonly receipt: Receipt }[];
  /** The latest of the receipts, by the cloud's clock: ms since 1970; Infinity for a time that is none. */
  readonly storedAt: number;
  /** The same as long as nothing of it changed. */
  readonly key: string;
}

/** What is written down when bytes are freed. */
export interface FreeingNote {
  readonly why: 'time' | 'disk';
  /** By the box's clock, ISO 8601 UTC. */
  readonly freedAt: string;
  readonly cloudTime: string;
}

interface OpRow {
  readonly op: string;
  readonly receipt: string | null;
}

const CLOUD_EPOCH_SQL = "(SELECT value FROM meta WHERE key = 'cloudEpoch')";

/**
 * Which bytes may be freed by what the record says, and what was (protocol, "Freeing"). Reads and writes the record's tables; whoever
 * writes does it in the store's queue.
 */
export class FreedBytes {
  readonly #page: Statement<
    [number, number],
    { seq: number; sha256: Sha256; bytes: number; storedAt: string; here: number | null }
  >;
  readonly #references: Statement<
    [string],
    { least: number | null; most: number | null; here: number; broken: number }
  >;
  readonly #refused: Statement<[string]>;
  readonly #ops: Statement<[string], OpRow>;
  readonly #cloudEpoch: Statement<[], { value: string }>;
  readonly #markFreed: Statement<[string, number, string, string, string, string]>;
  readonly #notHere: Statement<[string]>;
  readonly #hereAgain: Statement<[string]>;
  readonly #forget: Statement<[string]>;
  readonly #markDeleted: Statement<[string]>;
  readonly #find: Statement<[string], { bytes: number; ashore: number }>;
  readonly #unsettled: Statement<[], { sha256: Sha256; bytes: number }>;
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#page = database.prepare(
      `SELECT seq, blob.sha256, blob.bytes, storedAt, blob.here FROM
         (SELECT seq, doc_id, json_extract(receipt, '$.blob.sha256') AS named, json_extract(receipt, '$.storedAt') AS storedAt FROM feed
          WHERE stage = 'cloud' AND kind = 'image' AND accepted = 1 AND store_epoch = ${CLOUD_EPOCH_SQL} AND seq > ? ORDER BY seq LIMIT ?)
       JOIN image_blobs AS blob ON blob.image_id = doc_id AND blob.sha256 = named ORDER BY seq`,
    );
    this.#references = database.prepare(
      'SELECT min(bytes) AS least, max(bytes) AS most, sum(here) AS here, sum(quarantined) AS broken FROM image_blobs WHERE sha256 = ?',
    );
    this.#refused = database.prepare(
      "SELECT 1 FROM ops WHERE accepted = 0 AND kind = 'image' AND json_extract(op, '$.body.sha256') = ? LIMIT 1",
    );
    // Of several answers of one life of the cloud the last one counts: a person there may have changed it.
    this.#ops = database.prepare(
      `SELECT ops.op, (SELECT feed.receipt FROM feed WHERE feed.op_id = ops.op_id AND feed.stage = 'cloud' AND feed.store_epoch = ${CLOUD_EPOCH_SQL} ORDER BY feed.node_seq DESC LIMIT 1) AS receipt
       FROM ops WHERE ops.kind = 'image' AND ops.doc_id IN (SELECT image_id FROM image_blobs WHERE sha256 = ?) ORDER BY ops.seq`,
    );
    this.#cloudEpoch = database.prepare("SELECT value FROM meta WHERE key = 'cloudEpoch'");
    this.#markFreed = database.prepare(
      'INSERT INTO freed (sha256, bytes, why, cloud_epoch, cloud_time, freed_at, gone) VALUES (?, ?, ?, ?, ?, ?, 0)',
    );
    this.#notHere = database.prepare('UPDATE image_blobs SET here = 0 WHERE sha256 = ?');
    this.#hereAgain = database.prepare('UPDATE image_blobs SET here = 1 WHERE sha256 = ?');
    this.#forget = database.prepare('DELETE FROM freed WHERE sha256 = ?');
    this.#markDeleted = database.prepare('UPDATE freed SET gone = 1 WHERE sha256 = ?');
    this.#find = database.prepare(
      'SELECT bytes, EXISTS (SELECT 1 FROM image_blobs WHERE image_blobs.sha256 = freed.sha256 AND ashore = 1) AS ashore FROM freed WHERE sha256 = ?',
    );
    this.#unsettled = database.prepare('SELECT sha256, bytes FROM freed WHERE gone = 0');
  }

  /** A page of the photographs that the present cloud has receipted, those verified first first. */
  page(after: number): ReceiptedBytes[] {
    return this.#page.all(after, PAGE_ROWS).map(({ here, ...rest }) => ({ ...rest, isHere: here === 1 }));
  }

  /**
   * What speaks for freeing these bytes, or undefined where something speaks against it: an operation of a record that names them, removed
   * ones among them, has no accepted receipt of the present cloud for just these bytes; a record of theirs is in quarantine; they are
   * broken, or not here. The signatures are for the caller to check.
   */
  evidence(sha256: string): FreeingEvidence | undefined {
    const cloudEpoch = this.#cloudEpoch.get()?.value;
    const referenced = this.#references.get(sha256);
    if (
      cloudEpoch === undefined ||
      referenced === undefined ||
      referenced.here === 0 ||
      referenced.broken > 0 ||
      referenced.least === null ||
      referenced.least !== referenced.most
    )
      return undefined;
    if (this.#refused.get(sha256) !== undefined) return undefined;
    const bytes = referenced.least;
    const proofs: { op: Op; receipt: Receipt }[] = [];
    for (const row of this.#ops.all(sha256)) {
      const op = JSON.parse(row.op) as Op;
      const receipt = row.receipt === null ? undefined : (JSON.parse(row.receipt) as Receipt);
      const blob = blobOf(op);
      if (
        receipt?.accepted !== true ||
        blob?.sha256 !== sha256 ||
        blob.bytes !== bytes ||
        receipt.blob?.sha256 !== sha256 ||
        receipt.blob.bytes !== bytes
      )
        return undefined;
      proofs.push({ op, receipt });
    }
    if (proofs.length === 0) return undefined;
    const times = proofs.map(({ receipt }) => Date.parse(receipt.storedAt));
    return {
      blob: { sha256: sha256 as Sha256, bytes },
      cloudEpoch,
      proofs,
      storedAt: times.some(Number.isNaN) ? Infinity : Math.max(...times),
      key: [cloudEpoch, ...proofs.map(({ op, receipt }) => `${op.opId} ${receipt.seq}`)].join('\n'),
    };
  }

  /** Notes that these bytes are about to go; false where the evidence is another one by now. */
  markFreed(
    { blob: { sha256, bytes }, cloudEpoch, key }: FreeingEvidence,
    { why, cloudTime, freedAt }: FreeingNote,
  ): boolean {
    if (this.evidence(sha256)?.key !== key) return false;
    this.#markFreed.run(sha256, bytes, why, cloudEpoch, cloudTime, freedAt);
    this.#notHere.run(sha256);
    return true;
  }

  /** The file is deleted, durably. */
  markDeleted(sha256: string): void {
    this.#markDeleted.run(sha256);
  }

  /** The bytes are here (again): a new record brought them, or they never went. */
  markPresent(sha256: string): void {
    this.#database.transaction(() => {
      if (this.#forget.run(sha256).changes > 0) this.#hereAgain.run(sha256);
    })();
  }

  /** What was freed under this hash; `ashore`: the receipt of the present cloud for it stands. */
  find(sha256: string): { readonly bytes: number; readonly ashore: boolean } | undefined {
    const found = this.#find.get(sha256);
    return found === undefined ? undefined : { bytes: found.bytes, ashore: found.ashore === 1 };
  }

  /** Bytes that were noted and of which nobody knows whether they went. */
  unsettled(): BlobRef[] {
    return this.#unsettled.all();
  }
}

/**
 * Settles what a crash left between the note and the deleting of a file: one that is there still counts as here again, and goes only after
 * the cloud was asked anew.
 */
export async function settleFreed(
  freed: FreedBytes,
  sizeOf: (sha256: string) => Promise<number | undefined>,
): Promise<void> {
  for (const { sha256, bytes } of freed.unsettled()) {
    if ((await sizeOf(sha256)) === bytes) freed.markPresent(sha256);
    else freed.markDeleted(sha256);
  }
}
