import { canonicalJson } from '../../../src/domain/canonical';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId, Sha256 } from '../../../src/domain/ids';
import { idSchema, sha256Schema } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { contentProblem } from '../../../src/domain/op/content-problem';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { parseOp } from '../../../src/domain/op/op';
import type { ClaimedRole } from '../../../src/domain/policy/claimed-roles';
import { claimedRoles, confirmedRoles } from '../../../src/domain/policy/claimed-roles';
import { decideCloud } from '../../../src/domain/policy/cloud-policy';
import type { CloudRoles } from '../../../src/domain/policy/roles';
import { HOLD_MESSAGES, surveyIdOf } from '../../../src/domain/policy/topic-policy';
import type { BlobRef, Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import type { AppendStore, SubmittedBy } from '../../../src/server/ops/append-store';
import type { BlobStore } from '../../../src/server/blobs/blob-store';
import { KeyedMutex } from '../../../src/server/blobs/keyed-mutex';
import { checkHash, checkLinkedToUser, checkSize } from '../../../src/server/ops/op-checks';
import type { HeldStore, PeopleLookup } from './admission';
import { Admission, personKey, surveyKey, wakeKeys } from './admission';
import type { AdmittedOp } from './held-ops';
import { HeldOps } from './held-ops';
import type { ParkedOp, Parking } from './parking';

/** Parked records looked at together. */
const PAGE = 500;

/** Who brings an operation. */
export interface Submitter {
  readonly roles: CloudRoles;
  /** Whoever is signed in, for an operation that does not say who wrote it. */
  readonly person: PersonId | null;
  /** Whose what it brings is to see, where nobody is signed in. */
  readonly uploadOwner?: PersonId;
  readonly deviceId: string | null;
  readonly node: string | null;
}

/** What whoever brings an operation says of it besides. */
export interface SubmissionInfo {
  /** Who wrote it; counts from a box or a device only. */
  readonly by?: unknown;
  /** A box's receipt for it, where they show one. */
  readonly receipt?: unknown;
}

type IntakeStep = AdmittedOp | { readonly needs: readonly Sha256[] };

/** What came of an operation: a receipt, or the hashes of the bytes that it waits for. */
export type IntakeOutcome = { readonly receipt: Receipt } | { readonly needs: readonly Sha256[] };

export interface CloudIntakeOptions {
  readonly store: AppendStore;
  readonly held: HeldStore;
  readonly people: PeopleLookup;
  /** Whether what is shown with an operation is a box's receipt for it. */
  readonly isBoxReceipt: (op: Op, shown: unknown) => Promise<boolean>;
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly parking: Parking;
  /** True where operations of a document are in quarantine. */
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
  /** Told of a parked record that could not be taken in though its bytes are here; it stays parked. */
  readonly onParkedError?: (opId: string, error: unknown) => void;
}

/**
 * The intake of the cloud: operations, checked in the order of the protocol ("Receipts and keys"): the envelope; a known opId;
 * the body's hash; the links; then, ashore alone, what the body says. What the cloud cannot accept it keeps all the same, in
 * quarantine, and says so in the receipt; a photograph's record without its bytes waits for them. What is set aside because its
 * writer may not (yet) is judged again when what it waits for comes.
 */
export class CloudIntake {
  readonly #options: CloudIntakeOptions;
  readonly #mutex = new KeyedMutex();
  readonly #admission: Admission;
  readonly #held: HeldOps;
  #hasRetriedHeld = false;

  constructor(parts: CloudIntakeOptions) {
    this.#options = parts;
    this.#admission = new Admission(parts);
    this.#held = new HeldOps({
      store: parts.held,
      admission: this.#admission,
      problemOf: (op) => this.#contentProblem(op),
      withLock: (op, work) => this.#withLock(op, work),
    });
  }

  /**
   * Takes an operation in; what it gives is durable.
   *
   * @param value the operation as it came
   * @throws ReefError `bad-message`, `too-large`, `receipt-mismatch`, `hash-mismatch`, `forbidden`, `unlinked-survey`, `unknown-survey`
   */
  async submit(value: unknown, submitter: Submitter, info: SubmissionInfo = {}): Promise<IntakeOutcome> {
    const op = parseOp(value);
    if (decideCloud('POST /api/ops', submitter.roles) !== 'allowed') throw new ReefError('forbidden', { field: 'op' });
    checkSize(op);
    return this.#wakeHeld(await this.#withLock(op, () => this.#submit(op, submitter, info)));
  }

  /** A person made a tablet known: judges again what waited for that. */
  async onDeviceRegistered(person: PersonId): Promise<void> {
    await this.#held.wake([personKey(person)]);
  }

  /** An operation was let count by staff: judges again what waited for it. */
  async onReleased({ kind, docId }: Pick<Receipt, 'kind' | 'docId'>): Promise<void> {
    if (kind === 'survey') await this.#held.wake([surveyKey(docId)]);
  }

  /**
   * Bytes are here, whole: takes in what waited for them. Gives how many records that were.
   *
   * @throws what stopped one of them; the others were taken in all the same
   */
  async onBytesComplete(sha256: string): Promise<number> {
    let taken = 0;
    let failed: { readonly error: unknown } | undefined;
    for (const parked of await this.#options.parking.listParkedFor(sha256)) {
      try {
        if ('receipt' in (await this.#wakeHeld(await this.#withLock(parked.op, () => this.#appendParked(parked)))))
          taken++;
      } catch (error) {
        failed = { error };
        this.#options.onParkedError?.(parked.op.opId, error);
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
    const { parking, blobs } = this.#options;
    if (!this.#hasRetriedHeld) await this.#held.retryAll();
    this.#hasRetriedHeld = true;
    const looked = new Set<string>();
    let taken = 0;
    let failed: { readonly error: unknown } | undefined;
    for (let after = ''; ;) {
      const page = await parking.listParked({ after, limit: PAGE });
      for (const sha256 of page.flatMap(({ needs }) => needs)) {
        if (looked.has(sha256)) continue;
        looked.add(sha256);
        try {
          if ((await blobs.size(sha256)) !== undefined) taken += await this.onBytesComplete(sha256);
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

  /**
   * Records of one image are judged one after the other, as they came: the second must see what the first one named. So are
   * those of a survey: who comes second must see whose it is.
   */
  #withLock<T>(op: Op, work: () => Promise<T>): Promise<T> {
    return op.kind === 'image' || op.kind === 'survey' ? this.#mutex.run(op.docId, work) : work();
  }

  async #submit(op: Op, submitter: Submitter, info: SubmissionInfo): Promise<IntakeStep> {
    const { store, parking } = this.#options;
    const [known, waiting] = await Promise.all([store.knownReceipt(op), parking.findParked(op.opId)]);
    const brought: SubmittedBy = {
      device: submitter.deviceId,
      node: submitter.node,
      person: submitter.person ?? submitter.uploadOwner ?? null,
      vouched:
        submitter.roles.has('box') ||
        submitter.roles.has('staff') ||
        (info.receipt !== undefined && (await this.#options.isBoxReceipt(op, info.receipt))),
    };
    const by = authorOf(op, submitter, info.by);
    if (known !== undefined) return this.#resubmit(op, known, brought);
    if (waiting !== undefined) {
      if (canonical(waiting.op) !== canonical(op)) throw opIdClashError();
      return this.#appendOrPark(
        brought.vouched === true
          ? {
              ...waiting,
              submittedBy: { ...waiting.submittedBy, node: waiting.submittedBy.node ?? brought.node, vouched: true },
            }
          : waiting,
      );
    }
    checkHash(op);
    return this.#appendOrPark({ op, by, submittedBy: brought, needs: [] });
  }

  /** It is here already. Where it is set aside, whoever brings it now may bring what it waited for. */
  async #resubmit(op: Op, known: Receipt, brought: SubmittedBy): Promise<IntakeStep> {
    const { store } = this.#options;
    const held = known.accepted ? undefined : await this.#options.held.findHeld(op.opId);
    const vouched = brought.vouched === true && held?.submittedBy.vouched !== true;
    if (held !== undefined && vouched) await this.#options.held.updateHeld(op.opId, held.waitsFor, brought);
    const released =
      held === undefined ? undefined : await this.#held.retry({ ...held, submittedBy: brought }, vouched);
    // The store notes that this box knows the survey, too; the receipt stays as it is.
    const receipt = brought.node === null ? known : await store.append(op, { by: null, brought });
    return released ?? { receipt };
  }

  /** A record whose bytes have come; it may have been taken in before the last end. */
  async #appendParked(parked: ParkedOp): Promise<IntakeStep> {
    const known = await this.#options.store.knownReceipt(parked.op);
    if (known === undefined) return this.#appendOrPark(parked);
    await this.#options.parking.unpark(parked.op.opId);
    return { receipt: known };
  }

  /** Appends a record that is new, or parks it until its bytes are here. */
  async #appendOrPark(parked: ParkedOp): Promise<IntakeStep> {
    const { store, blobs, parking } = this.#options;
    const { op, by, submittedBy } = parked;
    await this.#checkLinks(op, submittedBy);
    const blob = usableBlob(op);
    if (blob !== undefined) {
      const size =
        (await blobs.size(blob.sha256)) ??
        (await this.#sizeAfterParking({ ...parked, needs: [blob.sha256] }, blob.sha256));
      if (size === undefined) return { needs: [blob.sha256] };
    }
    const broken = await this.#contentProblem(op);
    const [decision, roles] = await Promise.all([this.#admission.decide(op, by, submittedBy), this.#rolesOf(op, by)]);
    const facts = {
      roles,
      by: op.kind === 'profile' && !('hold' in decision) ? (op.docId as PersonId) : by,
      brought: submittedBy,
      ...(blob === undefined ? {} : { blob }),
    };
    if ('hold' in decision) {
      // What a person wrote who may not be spoken for is not shown as theirs.
      const heldFor = decision.hold === 'bringer' ? (submittedBy.person ?? null) : by;
      const waits =
        broken === undefined && decision.waitsFor !== undefined ? { waitsFor: decision.waitsFor } : undefined;
      const receipt = await store.append(op, {
        ...facts,
        heldFor,
        quarantine: broken ?? HOLD_MESSAGES[decision.hold],
        ...waits,
      });
      if (op.kind === 'image') await parking.unpark(op.opId);
      // What it waits for may have come while it was being stored.
      return (
        (waits === undefined ? undefined : await this.#held.retry({ op, by, submittedBy, ...waits }, true)) ?? {
          receipt,
        }
      );
    }
    const receipt = await store.append(op, {
      ...facts,
      sees: decision.sees,
      ...(broken === undefined ? {} : { quarantine: broken }),
    });
    if (op.kind === 'image') await parking.unpark(op.opId);
    // Afterwards: a profile and a survey come together, and either may be stored first.
    if (receipt.accepted && submittedBy.node !== null && facts.by !== null)
      await this.#options.people.grantClaimsOf(facts.by);
    return receipt.accepted ? { receipt, wakes: wakeKeys(op, decision.sees) } : { receipt };
  }

  /** Of what an operation says of its author's roles, what the accounts know of whoever it counts for; it stays as it is decided here. */
  async #rolesOf(op: Op, by: PersonId | null): Promise<readonly ClaimedRole[]> {
    const claimed = claimedRoles(op);
    return claimed.length === 0 || by === null ? [] : confirmedRoles(claimed, await this.#options.people.rolesOf(by));
  }

  async #wakeHeld(done: IntakeStep): Promise<IntakeOutcome> {
    if ('needs' in done) return done;
    await this.#held.wake(done.wakes ?? []);
    return { receipt: done.receipt };
  }

  /** Parks a record whose bytes are missing, and looks for them once more: they may have come meanwhile. */
  async #sizeAfterParking(parked: ParkedOp, sha256: Sha256): Promise<number | undefined> {
    await this.#options.parking.park(parked);
    return this.#options.blobs.size(sha256);
  }

  /**
   * The links of an operation.
   *
   * @throws ReefError `unlinked-survey`; `unknown-survey`, which sending the survey heals
   */
  async #checkLinks(op: Op, { vouched }: SubmittedBy): Promise<void> {
    if (op.kind === 'survey') checkLinkedToUser(op);
    if (op.kind === 'image' && (usableBlob(op) === undefined || surveyIdOf(op.body) === null)) return;
    // A box keeps an analysis whose survey it never saw; from others it comes after its survey, which says whether they may.
    if (op.kind === 'image' || (op.kind === 'analysis' && vouched !== true && surveyIdOf(op.body) !== null)) {
      if ((await this.#admission.surveyStatus(op)) === 'none')
        throw new ReefError('unknown-survey', { field: 'op.body.survey.id' });
    }
  }

  /** Why what an operation says cannot be taken as it is, in words; undefined where it can. */
  async #contentProblem(op: Op): Promise<string | undefined> {
    if (op.kind !== 'image') return contentProblem(op);
    const blob = usableBlob(op);
    if (blob === undefined) return 'The record does not say which bytes are its photograph.';
    if (surveyIdOf(op.body) === null) return 'The record does not say which survey it belongs to.';
    const problem = contentProblem(op);
    if (problem !== undefined) return problem;
    const size = await this.#options.blobs.size(blob.sha256);
    if (size !== undefined && size !== blob.bytes)
      return 'The bytes of that hash have another length than the record says.';
    return this.#conflictingPhotograph(op, blob);
  }

  async #conflictingPhotograph(op: Op, blob: BlobRef): Promise<string | undefined> {
    const recorded = await this.#options.store.recordedBlobs(op.docId);
    return recorded.length > 0 && !recorded.some(({ sha256 }) => sha256 === blob.sha256)
      ? 'Another photograph is here under this id.'
      : undefined;
  }
}

/** The bytes that an image's record names, where it names them in a way that can be kept. */
function usableBlob(op: Op): BlobRef | undefined {
  const blob = blobOf(op);
  return blob !== undefined &&
    sha256Schema.safeParse(blob.sha256).success &&
    Number.isSafeInteger(blob.bytes) &&
    blob.bytes >= 1
    ? blob
    : undefined;
}

/**
 * Who an operation counts for: who it says, else who the box or device says that brings it, else whoever is signed in.
 *
 * @throws ReefError `bad-message` for a writer that is no id
 */
function authorOf(op: Op, { roles, person }: Submitter, claimed: unknown): PersonId | null {
  if (!roles.has('box') && !roles.has('device')) return op.by ?? person;
  if (op.by !== undefined || claimed === undefined || claimed === null) return op.by ?? person;
  const named = idSchema.safeParse(claimed);
  if (!named.success) throw new ReefError('bad-message', { field: 'by', message: 'by is not the id of a person.' });
  return named.data as PersonId;
}

function canonical(op: Op): string {
  return canonicalJson(op as unknown as JsonObject);
}

/** What {@link Parking.park} throws, and a store, for another operation under a known opId. */
export function opIdClashError(): ReefError {
  return new ReefError('receipt-mismatch', {
    field: 'op.opId',
    message: 'Another operation came under this opId before. Nothing was changed.',
  });
}
