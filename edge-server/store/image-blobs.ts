import { createHash } from 'node:crypto';
import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import { Emitter } from '../../src/base/emitter';
import type { Sha256 } from '../../src/domain/ids';
import type { Op } from '../../src/domain/op/op';
import type { LostBytes } from '../../src/protocol/changes';
import { NOTHING_LOST } from '../../src/protocol/changes';
import type { BlobRef } from '../../src/protocol/receipt';
import { blobOf } from '../../src/protocol/receipt';
import type { RecordedBlob } from '../../src/server/ops/append-store';
import type { FreedBytes } from './freed-bytes';

/** Index of the bytes that accepted image records reference, and where these bytes are. */
export class ImageBlobs {
  readonly #record: Statement<[string, string, number, number]>;
  readonly #recordedBlobs: Statement<[string], { sha256: Sha256; bytes: number; quarantined: number; freed: number }>;
  readonly #here: Statement<[], { sha256: Sha256; bytes: number }>;
  readonly #quarantine: Statement<[string]>;
  readonly #restore: Statement<[string]>;
  readonly #quarantined: Statement<[], { sha256: string }>;
  readonly #lostEverywhere: Statement<[], { n: number }>;
  readonly #freed: FreedBytes;
  readonly #lostChanged = new Emitter<void>();
  /** Called when bytes were found lost, and when lost ones came again. */
  readonly onLostChange = this.#lostChanged.subscribe;
  #lost: LostBytes | undefined;

  constructor(database: SqliteDatabase, freed: FreedBytes) {
    this.#freed = freed;
    this.#record = database.prepare(
      `INSERT INTO image_blobs (image_id, sha256, bytes, here) VALUES (?, ?, ?, ?)
       ON CONFLICT (image_id, sha256) DO UPDATE SET here = max(here, excluded.here), quarantined = quarantined AND NOT excluded.here`,
    );
    this.#recordedBlobs = database.prepare(
      `SELECT sha256, bytes, quarantined, here = 0 AND ashore = 1 AND EXISTS (SELECT 1 FROM freed WHERE freed.sha256 = image_blobs.sha256) AS freed
       FROM image_blobs WHERE image_id = ? ORDER BY sha256`,
    );
    this.#here = database.prepare('SELECT DISTINCT sha256, bytes FROM image_blobs WHERE here = 1');
    this.#quarantine = database.prepare(
      'UPDATE image_blobs SET here = 0, quarantined = 1 WHERE sha256 = ? AND here = 1',
    );
    this.#restore = database.prepare(
      'UPDATE image_blobs SET here = 1, quarantined = 0 WHERE sha256 = ? AND quarantined = 1',
    );
    this.#lostEverywhere = database.prepare(
      'SELECT count(*) AS n FROM (SELECT 1 FROM image_blobs GROUP BY sha256 HAVING max(quarantined) = 1 AND max(ashore) = 0)',
    );
    this.#quarantined = database.prepare(
      'SELECT DISTINCT sha256 FROM image_blobs WHERE quarantined = 1 ORDER BY sha256',
    );
  }

  /** @param blob bytes that are durable here; absent: the record was accepted without them (they are ashore) */
  record(op: Op, blob: BlobRef | undefined): void {
    const named = blob ?? blobOf(op);
    // Every record that names these bytes has them again.
    if (blob !== undefined && this.#restore.run(blob.sha256).changes > 0) this.#notifyLost();
    if (op.kind === 'image' && named !== undefined)
      this.#record.run(op.docId, named.sha256, named.bytes, blob === undefined ? 0 : 1);
    if (blob !== undefined) this.#freed.markPresent(blob.sha256);
  }

  recordedBlobs(imageId: string): RecordedBlob[] {
    return this.#recordedBlobs
      .all(imageId)
      .map(({ sha256, bytes, quarantined, freed }) => ({
        sha256,
        bytes,
        ...(quarantined === 1 ? { lost: true as const } : {}),
        ...(freed === 1 ? { freed: true as const } : {}),
      }));
  }

  expectedBlobs(): BlobRef[] {
    return this.#here.all();
  }

  /** Marks bytes as broken or missing. Returns the number of records that counted them as here. */
  quarantine(sha256: string): number {
    const { changes } = this.#quarantine.run(sha256);
    if (changes > 0) this.#notifyLost();
    return changes;
  }

  /** Receipted bytes that are broken or missing here; no freed ones. */
  lost(): LostBytes {
    if (this.#lost === undefined) {
      const sha256 = this.#quarantined.all().map((row) => row.sha256);
      this.#lost =
        sha256.length === 0 ? NOTHING_LOST : { key: createHash('sha256').update(sha256.join()).digest('hex'), sha256 };
    }
    return this.#lost;
  }

  /** Number of lost files that are not ashore either, as far as this box knows. */
  countLostEverywhere(): number {
    return this.#lostEverywhere.get()?.n ?? 0;
  }

  #notifyLost(): void {
    this.#lost = undefined;
    this.#lostChanged.emit();
  }
}
