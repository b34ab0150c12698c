import type pg from 'pg';
import type { OpKind } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import type { RecordedBlob, StoredDocument } from '../../../src/server/append-store';
import { patiently } from '../postgres/database-error';
import type { HeldOp } from '../services/admission';
import type { ParkedOp } from '../services/parking';
import { takesPart, wroteOn } from './access-reads';
import { getDocuments, keyOf } from './documents';
import { Gather } from './gather';
import { heldFor, heldUnder } from './held';
import { recordedBlobs } from './image-blobs';
import { parkedUnder } from './parked';

/** An operation that is stored: its canonical JSON, and the receipt that stands for it now. */
export interface KnownOp {
  readonly text: string;
  readonly receipt: Receipt;
}

/** What the intake asks of each operation, gathered over those that come together. */
export class IntakeReads {
  readonly #known: Gather<KnownOp>;
  readonly #documents: Gather<StoredDocument>;
  readonly #recorded: Gather<RecordedBlob[]>;
  readonly #parked: Gather<ParkedOp>;
  readonly #takesPart: Gather<true>;
  readonly #wroteOn: Gather<true>;
  readonly #heldUnder: Gather<HeldOp>;
  readonly #heldFor: Gather<HeldOp[]>;

  constructor(pool: pg.Pool, patienceMs: number) {
    const asking = <Value>(ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>): Gather<Value> =>
      new Gather((keys) => patiently(() => ask(keys), patienceMs));
    this.#known = asking((opIds) => knownOps(pool, opIds));
    this.#documents = asking((keys) => getDocuments(pool, keys));
    this.#recorded = asking((imageIds) => recordedBlobs(pool, imageIds));
    this.#parked = asking((opIds) => parkedUnder(pool, opIds));
    this.#takesPart = asking((keys) => takesPart(pool, keys));
    this.#wroteOn = asking((keys) => wroteOn(pool, keys));
    this.#heldUnder = asking((opIds) => heldUnder(pool, opIds));
    this.#heldFor = asking((keys) => heldFor(pool, keys));
  }

  known(opId: string): Promise<KnownOp | undefined> {
    return this.#known.load(opId);
  }

  document(kind: OpKind, id: string): Promise<StoredDocument | undefined> {
    return this.#documents.load(keyOf(kind, id));
  }

  async recorded(imageId: string): Promise<readonly RecordedBlob[]> {
    return (await this.#recorded.load(imageId)) ?? [];
  }

  parked(opId: string): Promise<ParkedOp | undefined> {
    return this.#parked.load(opId);
  }

  async takesPart(person: string, topic: string): Promise<boolean> {
    return (await this.#takesPart.load(`${person} ${topic}`)) === true;
  }

  async wroteOn(tablet: string, person: string | null, topic: string): Promise<boolean> {
    return (await this.#wroteOn.load(`${tablet} ${person ?? '-'} ${topic}`)) === true;
  }

  heldUnder(opId: string): Promise<HeldOp | undefined> {
    return this.#heldUnder.load(opId);
  }

  async heldFor(waitsFor: string): Promise<readonly HeldOp[]> {
    return (await this.#heldFor.load(waitsFor)) ?? [];
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
