import type pg from 'pg';
import type { OpKind } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import type { RecordedBlob, StoredDocument } from '../../../src/server/ops/append-store';
import { retryWhileUnavailable } from '../postgres/database-error';
import type { Subject } from '../access/grants';
import type { HeldOp, HeldPage, Writer } from './admission';
import type { ParkedOp } from './parking';
import { loadGrants, loadAuthorship } from '../access/access-reads';
import { getDocuments, documentKey } from '../store/documents';
import { BatchLoader } from '../../../src/base/batch-loader';
import { LOOKUP_BATCH } from '../postgres/lookup-batch';
import { loadHeldFor, loadHeld } from './pg-held-store';
import { loadRecordedBlobs } from '../images/image-blobs';
import { loadParked } from './parked-ops';

interface KnownOp {
  readonly text: string;
  readonly receipt: Receipt;
}

/** Lookups of the intake, batched over concurrent operations. */
export class IntakeReads {
  readonly #findOp: BatchLoader<KnownOp>;
  readonly #documents: BatchLoader<StoredDocument>;
  readonly #recordedBlobs: BatchLoader<RecordedBlob[]>;
  readonly #findParked: BatchLoader<ParkedOp>;
  readonly #hasGrant: BatchLoader<true>;
  readonly #hasWritten: BatchLoader<true>;
  readonly #findHeld: BatchLoader<HeldOp>;
  readonly #listHeldFor: BatchLoader<HeldPage>;

  constructor(pool: pg.Pool, patienceMs: number) {
    const asking = <Value>(ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>): BatchLoader<Value> =>
      new BatchLoader({ ...LOOKUP_BATCH, load: (keys) => retryWhileUnavailable(() => ask(keys), patienceMs) });
    this.#findOp = asking((opIds) => knownOps(pool, opIds));
    this.#documents = asking((keys) => getDocuments(pool, keys));
    this.#recordedBlobs = asking((imageIds) => loadRecordedBlobs(pool, imageIds));
    this.#findParked = asking((opIds) => loadParked(pool, opIds));
    this.#hasGrant = asking((keys) => loadGrants(pool, keys));
    this.#hasWritten = asking((keys) => loadAuthorship(pool, keys));
    this.#findHeld = asking((opIds) => loadHeld(pool, opIds));
    this.#listHeldFor = asking((keys) => loadHeldFor(pool, keys));
  }

  findOp(opId: string): Promise<KnownOp | undefined> {
    return this.#findOp.load(opId);
  }

  document(kind: OpKind, id: string): Promise<StoredDocument | undefined> {
    return this.#documents.load(documentKey(kind, id));
  }

  async recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]> {
    return (await this.#recordedBlobs.load(imageId)) ?? [];
  }

  findParked(opId: string): Promise<ParkedOp | undefined> {
    return this.#findParked.load(opId);
  }

  async hasGrant(subject: Subject, topic: string): Promise<boolean> {
    return (await this.#hasGrant.load(`${subject} ${topic}`)) === true;
  }

  async hasWritten(
    { tablet, key }: Writer,
    person: string | null,
    topic: string,
    analysis: string | null,
  ): Promise<boolean> {
    const found = await this.#hasWritten.load(`${tablet} ${person ?? '-'} ${topic} ${analysis ?? '-'} ${key ?? '-'}`);
    return found === true;
  }

  findHeld(opId: string): Promise<HeldOp | undefined> {
    return this.#findHeld.load(opId);
  }

  async listHeldFor(waitsFor: string, after: number): Promise<HeldPage> {
    return (await this.#listHeldFor.load(`${after} ${waitsFor}`)) ?? { items: [], next: null };
  }
}

async function knownOps(pool: pg.Pool, opIds: readonly string[]): Promise<Map<string, KnownOp>> {
  const { rows } = await pool.query<{ op_id: string; op: string; receipt: string }>({
    name: 'ops-known',
    text: 'SELECT o.op_id, o.op, f.receipt FROM ops o JOIN feed f ON f.seq = o.seq WHERE o.op_id = ANY($1::text[])',
    values: [opIds],
  });
  return new Map(rows.map((row) => [row.op_id, { text: row.op, receipt: JSON.parse(row.receipt) as Receipt }]));
}
