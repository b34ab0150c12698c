import { canonicalJson } from '../../../src/domain/canonical';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId, Sha256 } from '../../../src/domain/ids';
import { idSchema, sha256Schema } from '../../../src/domain/ids';
import { isObject } from '../../../src/domain/json';
import type { JsonObject } from '../../../src/domain/json';
import { contentProblem } from '../../../src/domain/op/content';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { parseOp } from '../../../src/domain/op/op';
import type { CloudRoles } from '../../../src/domain/policy/cloud-policy';
import { decideCloud } from '../../../src/domain/policy/cloud-policy';
import type { BlobRef, Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import type { AppendStore } from '../../../src/server/append-store';
import type { BlobStore } from '../../../src/server/blob-store';
import { KeyedTurns } from '../../../src/server/keyed-turns';
import { checkHash, checkLinkedToUser, checkSize } from '../../../src/server/op-checks';
import type { ParkedOp, Parking } from './parking';

/** Parked records looked at together. */
const PAGE = 500;

/** Who brings an operation. */
export interface Bringer {
  readonly roles: CloudRoles;
  /** Whoever is signed in, for an operation that does not say who wrote it. */
  readonly person: PersonId | null;
  readonly deviceId: string | null;
  readonly node: string | null;
}

/** What came of an operation: a receipt, or the hashes of the bytes that it waits for. */
export type Taken = { readonly receipt: Receipt } | { readonly needs: readonly Sha256[] };

export interface IntakeParts {
  readonly store: AppendStore;
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly parking: Parking;
  /** True where operations of a document are in quarantine. */
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
  /** Told of a parked record that could not be taken in though its bytes are here; it stays parked. */
  readonly report?: (opId: string, error: unknown) => void;
}

/**
 * The intake of the cloud: operations, checked in the order of the protocol ("Receipts and keys"): the envelope; a known opId;
 * the body's hash; the links; then, ashore alone, what the body says. What the cloud cannot accept it keeps all the same, in
 * quarantine, and says so in the receipt; a photograph's record without its bytes waits for them.
 */
export class CloudIntake {
  readonly #parts: IntakeParts;
  readonly #turns = new KeyedTurns();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Takes an operation in; what it gives is durable.
   *
   * @param value the operation as it came
   * @param told who wrote it, as whoever brings it knows; counts from a box or a device only
   * @throws ReefError `bad-message`, `too-large`, `receipt-mismatch`, `hash-mismatch`, `forbidden`, `unlinked-survey`, `unknown-survey`
   */
  async take(value: unknown, bringer: Bringer, told?: unknown): Promise<Taken> {
    const op = parseOp(value);
    if (decideCloud('POST /api/ops', bringer.roles) !== 'allowed') throw new ReefError('forbidden', { field: 'op' });
    checkSize(op);
    return this.#turn(op, () => this.#take(op, bringer, told));
  }

  /**
   * Bytes are here, whole: takes in what waited for them. Gives how many records that were.
   *
   * @throws what stopped one of them; the others were taken in all the same
   */
  async bytesComplete(sha256: string): Promise<number> {
    let taken = 0;
    let failed: { readonly error: unknown } | undefined;
    for (const parked of await this.#parts.parking.parkedFor(sha256)) {
      try {
        if ('receipt' in (await this.#turn(parked.op, () => this.#settleParked(parked)))) taken++;
      } catch (error) {
        failed = { error };
        this.#parts.report?.(parked.op.opId, error);
      }
    }
    if (failed !== undefined) throw failed.error;
    return taken;
  }

  /**
   * Takes in what waits for bytes that are here already: after a kill between the bytes and the record, after the database
   * was away, and where another process of the cloud received the bytes.
   *
   * @throws what stopped one of them; the others were looked at all the same
   */
  async resume(): Promise<number> {
    const { parking, blobs } = this.#parts;
    const looked = new Set<string>();
    let taken = 0;
    let failed: { readonly error: unknown } | undefined;
    for (let after = ''; ; ) {
      const page = await parking.parked({ after, limit: PAGE });
      for (const sha256 of page.flatMap(({ needs }) => needs)) {
        if (looked.has(sha256)) continue;
        looked.add(sha256);
        try {
          if ((await blobs.size(sha256)) !== undefined) taken += await this.bytesComplete(sha256);
        } catch (error) {
          failed = { error };
        }
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last.op.opId;
    }
    if (failed !== undefined) throw failed.error;
    return taken;
  }

  /** Records of one image are judged one after the other, as they came: the second must see what the first one named. */
  #turn(op: Op, work: () => Promise<Taken>): Promise<Taken> {
    return op.kind === 'image' ? this.#turns.take(op.docId, work) : work();
  }

  async #take(op: Op, bringer: Bringer, told: unknown): Promise<Taken> {
    const { store, parking } = this.#parts;
    const [known, waiting] = await Promise.all([store.knownReceipt(op), parking.parkedUnder(op.opId)]);
    const brought = { device: bringer.deviceId, node: bringer.node };
    // The store notes that this box knows the survey, too; the receipt stays as it is.
    if (known !== undefined) return { receipt: bringer.node === null ? known : await store.append(op, { by: null, brought }) };
    if (waiting !== undefined) {
      if (canonical(waiting.op) !== canonical(op)) throw otherOp();
      return this.#settle(waiting);
    }
    checkHash(op);
    return this.#settle({ op, by: writerOf(op, bringer, told), brought, needs: [] });
  }

  /** A record whose bytes have come; it may have been taken in before the last end. */
  async #settleParked(parked: ParkedOp): Promise<Taken> {
    const known = await this.#parts.store.knownReceipt(parked.op);
    if (known === undefined) return this.#settle(parked);
    await this.#parts.parking.unpark(parked.op.opId);
    return { receipt: known };
  }

  /** Appends a record that is new, or parks it until its bytes are here. */
  async #settle(parked: ParkedOp): Promise<Taken> {
    const { store, blobs, parking } = this.#parts;
    const { op, by, brought } = parked;
    let quarantine = await this.#checkLinks(op, by);
    quarantine ??= contentProblem(op);
    const blob = usableBlob(op);
    if (blob !== undefined) {
      const size = (await blobs.size(blob.sha256)) ?? (await this.#sizeAfterParking({ ...parked, needs: [blob.sha256] }, blob.sha256));
      if (size === undefined) return { needs: [blob.sha256] };
      if (size !== blob.bytes) quarantine ??= 'The bytes of that hash have another length than the record says.';
      quarantine ??= await this.#otherPhotograph(op, blob);
    }
    const counted = op.kind === 'profile' && quarantine === undefined ? (op.docId as PersonId) : by;
    const receipt = await store.append(op, { by: counted, brought, ...(blob === undefined ? {} : { blob }), ...(quarantine === undefined ? {} : { quarantine }) });
    if (op.kind === 'image') await parking.unpark(op.opId);
    return { receipt };
  }

  /** Parks a record whose bytes are missing, and looks for them once more: they may have come meanwhile. */
  async #sizeAfterParking(parked: ParkedOp, sha256: Sha256): Promise<number | undefined> {
    await this.#parts.parking.park(parked);
    return this.#parts.blobs.size(sha256);
  }

  /**
   * The links of an operation.
   *
   * @returns why it goes to quarantine, or undefined
   * @throws ReefError `unlinked-survey`; `unknown-survey`, which sending the survey heals
   */
  async #checkLinks(op: Op, by: PersonId | null): Promise<string | undefined> {
    if (op.kind === 'profile' && by !== null && by !== op.docId) return 'A person may only write their own profile.';
    if (op.kind === 'survey') checkLinkedToUser(op);
    if (op.kind !== 'image') return undefined;
    if (usableBlob(op) === undefined) return 'The record does not say which bytes are its photograph.';
    const { survey } = op.body;
    const surveyId = idSchema.safeParse(isObject(survey) ? survey['id'] : undefined);
    if (!surveyId.success) return 'The record does not say which survey it belongs to.';
    if ((await this.#parts.store.document('survey', surveyId.data)) !== undefined) return undefined;
    if (await this.#parts.isQuarantined('survey', surveyId.data)) return 'Its survey is held for a person to look at.';
    throw new ReefError('unknown-survey', { field: 'op.body.survey.id' });
  }

  async #otherPhotograph(op: Op, blob: BlobRef): Promise<string | undefined> {
    const recorded = await this.#parts.store.imageRecorded(op.docId);
    return recorded.length > 0 && !recorded.some(({ sha256 }) => sha256 === blob.sha256) ? 'Another photograph is here under this id.' : undefined;
  }
}

/** The bytes that an image's record names, where it names them in a way that can be kept. */
function usableBlob(op: Op): BlobRef | undefined {
  const blob = blobOf(op);
  return blob !== undefined && sha256Schema.safeParse(blob.sha256).success && Number.isSafeInteger(blob.bytes) && blob.bytes >= 1 ? blob : undefined;
}

/**
 * Who an operation counts for. A box or a device relays what others wrote; a person speaks for themselves.
 *
 * @throws ReefError `forbidden` where a person says that another one wrote it; `bad-message` for a writer that is no id
 */
function writerOf(op: Op, { roles, person }: Bringer, told: unknown): PersonId | null {
  if (!roles.has('box') && !roles.has('device')) {
    if (op.by !== undefined && op.by !== person && !roles.has('staff')) throw new ReefError('forbidden', { field: 'op.by', message: 'This was written by someone else; only a tablet or a box may bring it.' });
    return op.by ?? person;
  }
  if (op.by !== undefined || told === undefined || told === null) return op.by ?? person;
  const named = idSchema.safeParse(told);
  if (!named.success) throw new ReefError('bad-message', { field: 'by', message: 'by is not the id of a person.' });
  return named.data as PersonId;
}

function canonical(op: Op): string {
  return canonicalJson(op as unknown as JsonObject);
}

/** What {@link Parking.park} throws, and a store, for another operation under a known opId. */
export function otherOp(): ReefError {
  return new ReefError('receipt-mismatch', { field: 'op.opId', message: 'Another operation came under this opId before. Nothing was changed.' });
}
