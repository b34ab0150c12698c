import { ReefError } from '../../../src/domain/errors';
import type { PersonId, Sha256 } from '../../../src/domain/ids';
import { idSchema, sha256Schema } from '../../../src/domain/ids';
import { isObject } from '../../../src/domain/json';
import { contentProblem } from '../../../src/domain/op/content-problem';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { parseOp } from '../../../src/domain/op/op';
import type { ClaimedRole } from '../../../src/domain/policy/claimed-roles';
import { claimedRoles, confirmedRoles } from '../../../src/domain/policy/claimed-roles';
import { decideCloud } from '../../../src/domain/policy/cloud-policy';
import type { CloudRole, CloudRoles } from '../../../src/domain/policy/roles';
import { HOLD_MESSAGES, accessGrantees, surveyIdOf } from '../../../src/domain/policy/topic-policy';
import type { BlobRef, Receipt, VerifySignature } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import type { AppendStore, SubmittedBy } from '../../../src/server/ops/append-store';
import type { BlobStore } from '../../../src/server/blobs/blob-store';
import { KeyedMutex } from '../../../src/base/keyed-mutex';
import { opTexts } from '../../../src/server/ops/op-texts';
import { checkHash, checkLinkedToUser, checkSize } from '../../../src/server/ops/op-checks';
import type { HeldStore, PeopleLookup } from './admission';
import { Admission, personKey, wakeKeys } from './admission';
import type { AdmittedOp } from './held-ops';
import { HeldOps } from './held-ops';
import { withCurrentDecision } from '../store/outdated-decision';
import type { ParkedOp, Parking } from './parking';

const PAGE = 500;
/** Submitters that relay the work of others. */
const RELAYS: readonly CloudRole[] = ['box', 'device', 'revoked'];

export interface Submitter {
  readonly roles: CloudRoles;
  readonly person: PersonId | null;
  /** Person who may see the submission, if no one is signed in. */
  readonly uploadOwner?: PersonId;
  readonly deviceId: string | null;
  readonly node: string | null;
}

/** Submitter's information about the operation. */
interface SubmissionInfo {
  /** Author; accepted from a box or a tablet only. */
  readonly by?: unknown;
  /** Box receipt for it, if shown. */
  readonly receipt?: unknown;
}

type IntakeStep = AdmittedOp | { readonly needs: readonly Sha256[] };

/** Outcome of an operation: its receipt, or the hashes of missing bytes. */
type IntakeOutcome = { readonly receipt: Receipt } | { readonly needs: readonly Sha256[] };

interface CloudIntakeOptions {
  readonly store: AppendStore;
  readonly held: HeldStore;
  readonly people: PeopleLookup;
  /** Box whose receipt for the operation is shown; undefined for anything else. */
  readonly boxOfReceipt: (op: Op, shown: unknown) => Promise<string | undefined>;
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly parking: Parking;
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
  /** Verifies signatures of devices; by default in the calling thread. */
  readonly verify?: VerifySignature | undefined;
  /** Called for a parked record that failed although its bytes are stored; it stays parked. */
  readonly onParkedError?: (opId: string, error: unknown) => void;
}

/**
 * Intake of the cloud. Checks operations in the order of the protocol ("Receipts and keys"): envelope, known opId, body
 * hash, links and, ashore only, content. What it cannot accept is quarantined and receipted as such; a photograph's
 * record without bytes is parked. Held operations are retried when what they wait for happens.
 */
export class CloudIntake {
  readonly #options: CloudIntakeOptions;
  readonly #mutex = new KeyedMutex();
  readonly #admission: Admission;
  readonly #held: HeldOps;
  /** Operations whose envelope was checked. */
  readonly #prepared = new WeakSet<object>();
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
   * Checks the envelope of an operation that will be submitted, and begins to check its signature in another thread.
   *
   * @throws ReefError `bad-message`, `too-large`
   */
  prepare(value: unknown): Op {
    if (isObject(value) && this.#prepared.has(value)) return value as unknown as Op;
    const op = parseOp(value);
    checkSize(op);
    this.#prepared.add(op);
    if (op.sig !== undefined) void this.#admission.checkSignature(op);
    return op;
  }

  /**
   * Submits an operation; the outcome is durable.
   *
   * @param value the operation as received
   * @throws ReefError `bad-message`, `too-large`, `receipt-mismatch`, `hash-mismatch`, `forbidden`, `unlinked-survey`,
   * `unknown-survey`
   */
  async submit(value: unknown, submitter: Submitter, info: SubmissionInfo = {}): Promise<IntakeOutcome> {
    const op = this.prepare(value);
    if (decideCloud('POST /api/ops', submitter.roles) !== 'allowed') throw new ReefError('forbidden', { field: 'op' });
    // A box vouches as itself: a token without a name would count as staff.
    if (submitter.roles.has('box') && submitter.node === null)
      throw new ReefError('forbidden', { field: 'node', message: 'Name the box that sends this (node).' });
    return this.#wakeHeld(await this.#withLock(op, () => this.#submit(op, submitter, info)));
  }

  /** Retries what waits for a person to register a tablet or to sign in on one. */
  async onDeviceKnown(person: PersonId): Promise<void> {
    await this.#held.wake([personKey(person)]);
  }

  /** Retries what waits for a survey that staff released, or for the access that they gave by a release. */
  async onReleased(op: Op, by: PersonId | null): Promise<void> {
    await this.#held.wake(wakeKeys(op, accessGrantees(op, { by, vouched: true, byStaff: true })));
  }

  /**
   * Accepts the records parked for these complete bytes; returns their number.
   *
   * @throws the error of a failed one; the others were accepted
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
   * Accepts parked records whose bytes are stored: after a kill or database outage, and for bytes received by another
   * process.
   *
   * @throws the error of a failed one; the others were processed
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
   * Serialises records of one image: the second must see which bytes the first named. Likewise for a survey: the second
   * must see its owner.
   */
  #withLock<T>(op: Op, work: () => Promise<T>): Promise<T> {
    return op.kind === 'image' || op.kind === 'survey' ? this.#mutex.run(op.docId, work) : work();
  }

  async #submit(op: Op, submitter: Submitter, info: SubmissionInfo): Promise<IntakeStep> {
    const { store, parking } = this.#options;
    const [known, waiting] = await Promise.all([store.knownReceipt(op), parking.findParked(op.opId)]);
    // Shown with a box's receipt, it counts as brought by that box.
    const node =
      submitter.node ??
      (info.receipt === undefined ? null : ((await this.#options.boxOfReceipt(op, info.receipt)) ?? null));
    const brought: SubmittedBy = {
      device: submitter.deviceId,
      node,
      person: submitter.person ?? submitter.uploadOwner ?? null,
      vouched: submitter.roles.has('box') || submitter.roles.has('staff') || node !== null,
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

  /** Handles a known operation. If it is held, this submitter may satisfy what it waits for. */
  async #resubmit(op: Op, known: Receipt, brought: SubmittedBy): Promise<IntakeStep> {
    const { store } = this.#options;
    const held = known.accepted ? undefined : await this.#options.held.findHeld(op.opId);
    const vouched = brought.vouched === true && held?.submittedBy.vouched !== true;
    if (held !== undefined && vouched) await this.#options.held.updateHeld(op.opId, held.waitsFor, brought);
    const released =
      held === undefined ? undefined : await this.#held.retry({ ...held, submittedBy: brought }, vouched);
    if (brought.node !== null) {
      // The store records that this box knows the survey too; the receipt is unchanged.
      const receipt = await store.append(op, { by: null, brought });
      return released ?? { receipt };
    }
    // One that is judged again may be refused for another reason.
    return released ?? { receipt: held === undefined ? known : ((await store.knownReceipt(op)) ?? known) };
  }

  /** Appends a parked record whose bytes arrived; it may have been accepted before a crash. */
  async #appendParked(parked: ParkedOp): Promise<IntakeStep> {
    const known = await this.#options.store.knownReceipt(parked.op);
    if (known === undefined) return this.#appendOrPark(parked);
    await this.#options.parking.unpark(parked.op.opId);
    return { receipt: known };
  }

  /** Appends a new record, or parks it until its bytes arrive. */
  #appendOrPark(parked: ParkedOp): Promise<IntakeStep> {
    return withCurrentDecision(() => this.#decideAndAppend(parked));
  }

  async #decideAndAppend(parked: ParkedOp): Promise<IntakeStep> {
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
    const [decision, roles] = await Promise.all([this.#admission.decide(op, by, submittedBy), this.#rolesOf(op, by)]);
    // Read last: a photograph recorded under this id since the decision makes that outdated, an earlier one shows here.
    const broken = await this.#contentProblem(op);
    const facts = {
      roles,
      by: op.kind === 'profile' && !('hold' in decision) ? (op.docId as PersonId) : by,
      brought: submittedBy,
      ...(blob === undefined ? {} : { blob }),
    };
    if ('hold' in decision) {
      // An operation by an author the submitter may not speak for is not shown as that author's.
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
      // Its wait may have ended while it was being stored.
      return (
        (waits === undefined ? undefined : await this.#held.retry({ op, by, submittedBy, ...waits }, true)) ?? {
          receipt,
        }
      );
    }
    const receipt = await store.append(op, {
      ...facts,
      sees: decision.sees,
      box: decision.box,
      absent: decision.absent,
      ...(broken === undefined ? {} : { quarantine: broken }),
    });
    if (op.kind === 'image') await parking.unpark(op.opId);
    // Runs after the append: profile and survey arrive together, in either order.
    if (receipt.accepted && submittedBy.node !== null && facts.by !== null)
      await this.#options.people.grantClaimsOf(facts.by);
    return receipt.accepted ? { receipt, wakes: wakeKeys(op, decision.sees) } : { receipt };
  }

  /** Claimed author roles that the accounts confirm and the author signed; fixed at this point. */
  async #rolesOf(op: Op, by: PersonId | null): Promise<readonly ClaimedRole[]> {
    const claimed = claimedRoles(op);
    if (claimed.length === 0 || by === null) return [];
    if ((await this.#admission.signatureOf(op, by)) !== 'author') return [];
    return confirmedRoles(claimed, await this.#options.people.rolesOf(by));
  }

  async #wakeHeld(done: IntakeStep): Promise<IntakeOutcome> {
    if ('needs' in done) return done;
    await this.#held.wake(done.wakes ?? []);
    return { receipt: done.receipt };
  }

  async #sizeAfterParking(parked: ParkedOp, sha256: Sha256): Promise<number | undefined> {
    await this.#options.parking.park(parked);
    return this.#options.blobs.size(sha256);
  }

  /**
   * Checks the links of an operation.
   *
   * @throws ReefError `unlinked-survey`; `unknown-survey`, which sending the survey resolves
   */
  async #checkLinks(op: Op, { vouched }: SubmittedBy): Promise<void> {
    if (op.kind === 'survey') checkLinkedToUser(op);
    if (op.kind === 'image' && (usableBlob(op) === undefined || surveyIdOf(op.body) === null)) return;
    // A box may hold an analysis without its survey; other submitters need the survey first, since it decides their
    // access.
    if (op.kind === 'image' || (op.kind === 'analysis' && vouched !== true && surveyIdOf(op.body) !== null)) {
      if ((await this.#admission.surveyStatus(op)) === 'none')
        throw new ReefError('unknown-survey', { field: 'op.body.survey.id' });
    }
  }

  /** Reason why an operation's content is not acceptable; undefined if it is. */
  async #contentProblem(op: Op): Promise<string | undefined> {
    if (op.kind !== 'image') return contentProblem(op);
    const blob = usableBlob(op);
    if (blob === undefined) return 'The record does not say which bytes are its photograph.';
    if (surveyIdOf(op.body) === null) return 'The record does not say which survey it belongs to.';
    const problem = contentProblem(op);
    if (problem !== undefined) return problem;
    const size = await this.#options.blobs.size(blob.sha256);
    if (size !== undefined && size !== blob.bytes)
      return 'The record states a different length for the bytes of this hash.';
    return this.#conflictingPhotograph(op, blob);
  }

  async #conflictingPhotograph(op: Op, blob: BlobRef): Promise<string | undefined> {
    const recorded = await this.#options.store.recordedBlobs(op.docId);
    return recorded.length > 0 && !recorded.some(({ sha256 }) => sha256 === blob.sha256)
      ? 'Another photograph is here under this id.'
      : undefined;
  }
}

/** Bytes named by an image's record; undefined if the reference is invalid. */
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
 * Author of an operation: stated in it, else by the submitting box or device, else the signed-in person.
 *
 * @throws ReefError `bad-message` for an invalid author id
 */
function authorOf(op: Op, { roles, person }: Submitter, claimed: unknown): PersonId | null {
  if (!RELAYS.some((role) => roles.has(role))) return op.by ?? person;
  if (op.by !== undefined || claimed === undefined || claimed === null) return op.by ?? person;
  const named = idSchema.safeParse(claimed);
  if (!named.success) throw new ReefError('bad-message', { field: 'by', message: 'by is not the id of a person.' });
  return named.data as PersonId;
}

function canonical(op: Op): string {
  return opTexts(op).whole;
}

/** Error of {@link Parking.park} and of stores for a different operation under a known opId. */
function opIdClashError(): ReefError {
  return new ReefError('receipt-mismatch', {
    field: 'op.opId',
    message: 'A different operation already has this opId. Nothing was changed.',
  });
}
