import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import type { Sha256 } from '../../src/domain/ids';
import type { Op } from '../../src/domain/op/op';
import type { BlobRef, Receipt } from '../../src/protocol/receipt';
import { blobOf } from '../../src/protocol/receipt';

/** Receipts per page; the box does other work in between. */
const PAGE_ROWS = 1000;

/** Photograph whose bytes have the cloud's receipt, in the order the receipts were verified here. */
interface ReceiptedBytes {
  readonly seq: number;
  readonly sha256: Sha256;
  readonly bytes: number;
  /** Time of storage by the cloud's clock. */
  readonly storedAt: string;
  /** True if the bytes are still on this box. */
  readonly isHere: boolean;
}

/**
 * Proof required before bytes are freed: every operation of every record that references them, each with the cloud's
 * receipt.
 */
export interface FreeingEvidence {
  readonly blob: BlobRef;
  readonly cloudEpoch: string;
  readonly proofs: readonly { readonly op: Op; readonly receipt: Receipt }[];
  /** Latest storage time of the receipts by the cloud's clock, ms since 1970; Infinity for an invalid time. */
  readonly storedAt: number;
  /** Fingerprint of the evidence: unchanged while nothing in it changes. */
  readonly key: string;
}

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
 * Evidence for freeing bytes, and the bytes already freed (protocol, "Freeing"). Writes must run in the store's queue.
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
    // The last receipt of one cloud epoch applies: a person ashore may have changed the decision.
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

  /** Page of photographs receipted in the current cloud epoch, oldest verification first. */
  page(after: number): ReceiptedBytes[] {
    return this.#page.all(after, PAGE_ROWS).map(({ here, ...rest }) => ({ ...rest, isHere: here === 1 }));
  }

  /**
   * Returns the evidence for freeing these bytes. Undefined if the bytes are broken or absent, or if any operation of
   * any record that references them (removed records included) is in quarantine or lacks an accepted receipt of the
   * current cloud epoch for exactly these bytes. The caller checks the signatures.
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

  /** Records that these bytes are about to be deleted. False if the evidence has changed since. */
  markFreed(
    { blob: { sha256, bytes }, cloudEpoch, key }: FreeingEvidence,
    { why, cloudTime, freedAt }: FreeingNote,
  ): boolean {
    if (this.evidence(sha256)?.key !== key) return false;
    this.#markFreed.run(sha256, bytes, why, cloudEpoch, cloudTime, freedAt);
    this.#notHere.run(sha256);
    return true;
  }

  /** Records that the file is durably deleted. */
  markDeleted(sha256: string): void {
    this.#markDeleted.run(sha256);
  }

  /** Records that the bytes are present: a new record uploaded them, or they were never deleted. */
  markPresent(sha256: string): void {
    this.#database.transaction(() => {
      if (this.#forget.run(sha256).changes > 0) this.#hereAgain.run(sha256);
    })();
  }

  /** Finds what was freed under this hash; `ashore`: the receipt of the current cloud epoch exists. */
  find(sha256: string): { readonly bytes: number; readonly ashore: boolean } | undefined {
    const found = this.#find.get(sha256);
    return found === undefined ? undefined : { bytes: found.bytes, ashore: found.ashore === 1 };
  }

  /** Blobs marked as freed whose deletion was not confirmed. */
  unsettled(): BlobRef[] {
    return this.#unsettled.all();
  }
}

/**
 * Resolves freed entries that a crash left between mark and file deletion. A file that still exists counts as present
 * and is deleted only after asking the cloud again.
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
