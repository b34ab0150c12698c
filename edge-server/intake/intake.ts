import { ReefError } from '../../src/domain/errors';
import type { PersonId, Sha256 } from '../../src/domain/ids';
import { idSchema } from '../../src/domain/ids';
import { isObject } from '../../src/domain/json';
import { LIMITS } from '../../src/domain/limits';
import type { Op, OpKind } from '../../src/domain/op/op';
import { parseOp } from '../../src/domain/op/op';
import type { ClaimedRole } from '../../src/domain/policy/claimed-roles';
import { claimedRoles, confirmedRoles } from '../../src/domain/policy/claimed-roles';
import type { EdgeRoles } from '../../src/domain/policy/edge-policy';
import { decideEdge } from '../../src/domain/policy/edge-policy';
import type { CloudRoles } from '../../src/domain/policy/roles';
import { rolesOfPerson } from '../../src/domain/policy/roles';
import { hasValidSignature } from '../../src/protocol/op-signature';
import type { BlobRef, PublicKey, Receipt } from '../../src/protocol/receipt';
import {
  blobOf,
  blobRefSchema,
  checkReceiptMatches,
  checkReceiptSignature,
  receiptSchema,
} from '../../src/protocol/receipt';
import type { AppendStore, RecordedBlob } from '../../src/server/ops/append-store';
import { uploadIdOf } from '../../src/server/blobs/blob-layout';
import type { BlobStore, Transfer } from '../../src/server/blobs/blob-store';
import { KeyedMutex } from '../../src/base/keyed-mutex';
import { blobOfImage, checkDisplayPath, checkHash, checkLinkedToUser, checkSize } from '../../src/server/ops/op-checks';
import { verifySignature } from '../../src/server/ops/receipt-signer';

interface PhotographAnnouncement {
  readonly surveyId: string;
  readonly imageId: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly type: string;
}

interface Submitter {
  readonly person: PersonId | null;
  readonly roles: EdgeRoles;
  readonly deviceId?: string;
  /** Author's roles as known to the cloud, for an operation with its receipt. */
  readonly authorRoles?: readonly ClaimedRole[];
  /** Only kind that this event accepts; absent: any. */
  readonly kind?: OpKind;
  /**
   * Verified cloud receipt: the record may come without its bytes. An operation that the cloud refused is quarantined
   * here too, so that all nodes show the same.
   */
  readonly vouched?: Receipt;
}

/** Roles of a person who wrote on a tablet, for an operation that this key signed. */
type RolesOnTablet = (uid: PersonId, deviceId: string, key: string | undefined) => CloudRoles;

/** Store of the box with its index of bytes: `record` is called when a record comes again and its bytes are here. */
type IntakeStore = AppendStore & {
  readonly cloudEpoch: string | undefined;
  readonly blobs: { record(op: Op, blob: BlobRef): void };
};

/**
 * Intake of operations and photographs, checked in the order of the protocol ("Receipts and keys"): envelope; known
 * opId; hash of the body; links. Other members are stored unchanged.
 */
export class Intake {
  /** Mutex per hash: between relying on a record's bytes and freeing them. */
  readonly blobLocks = new KeyedMutex();
  readonly #store: IntakeStore;
  readonly #blobs: BlobStore;
  readonly #rolesOnTablet: RolesOnTablet;
  /** Hash last announced for an image since start: distinguishes a missing photograph from a different one. */
  readonly #announced = new Map<string, string>();

  constructor(store: IntakeStore, blobs: BlobStore, rolesOnTablet: RolesOnTablet = () => rolesOfPerson(null)) {
    this.#store = store;
    this.#blobs = blobs;
    this.#rolesOnTablet = rolesOnTablet;
  }

  /**
   * Accepts an operation and returns its durable receipt.
   *
   * @throws ReefError `bad-message`, `receipt-mismatch`, `too-large`, `hash-mismatch`, `forbidden`, `unlinked-survey`,
   * `unknown-survey`, `image-exists`, `incomplete`
   */
  async acceptOp(value: unknown, bringer: Submitter): Promise<Receipt> {
    const op = parseOp(value);
    if (decideEdge('op', op.kind, bringer.roles) !== 'allowed') throw new ReefError('forbidden', { field: 'op.kind' });
    if (bringer.kind !== undefined && op.kind !== bringer.kind) {
      throw new ReefError('bad-message', {
        field: 'op.kind',
        message: `op.kind is "${op.kind}"; this takes "${bringer.kind}".`,
      });
    }
    checkSize(op);
    const blob = blobRefOf(op);
    return blob === undefined
      ? this.#accept(op, bringer)
      : this.blobLocks.run(blob.sha256, () => this.#accept(op, bringer));
  }

  async #accept(op: Op, bringer: Submitter): Promise<Receipt> {
    const known = await this.#store.knownReceipt(op);
    if (known !== undefined) {
      const blob = blobRefOf(op);
      if (blob !== undefined && (await this.#blobs.size(blob.sha256)) === blob.bytes)
        this.#store.blobs.record(op, blob);
      return known;
    }
    checkHash(op);
    const by = (op.by ?? bringer.person) as PersonId | null;
    const { vouched } = bringer;
    if (vouched?.accepted === false)
      return this.#store.append(op, { by, quarantine: vouched.reason ?? 'refused ashore' });
    const blob = await this.#checkLinks(op, by, vouched);
    return this.#store.append(op, {
      by: op.kind === 'profile' ? (op.docId as PersonId) : by,
      roles: await this.#rolesOf(op, by, bringer),
      ...(vouched === undefined ? {} : { ceilings: 'ignore' as const }),
      ...(blob === undefined ? {} : { blob }),
    });
  }

  /**
   * Accepts an operation with its cloud receipt, from a tablet whose bytes are only ashore. Stores both.
   *
   * @param keys the cloud's keys, as pinned on the box
   * @throws ReefError as `acceptOp`; `bad-message` {field} for a receipt of something else; `incomplete` while this box
   * lacks the cloud's key, or knows another cloud epoch
   */
  async acceptVouchedOp(
    brought: { readonly op?: unknown; readonly receipt?: unknown },
    bringer: Submitter,
    keys: readonly PublicKey[] | undefined,
  ): Promise<Receipt> {
    const op = parseOp(brought.op);
    const vouched = await this.checkCloudReceipt(brought.receipt, keys, op).catch((error: unknown) => {
      if (!(error instanceof ReefError) || error.code !== 'receipt-mismatch') throw error;
      // To a sender, `receipt-mismatch` means that the box has another operation under this opId.
      const field = `receipt.${String(error.details['field'])}`;
      if (field === 'receipt.kid')
        throw new ReefError('incomplete', {
          field,
          message: 'This box does not know the key of that shore yet. It takes the record once it does.',
        });
      throw new ReefError('bad-message', { field, message: `${field} is not what the shore signed for this record.` });
    });
    // A tablet may have a receipt of an earlier cloud. The bridge shows which epoch is current: the tablet retries.
    const life = this.#store.cloudEpoch;
    if (life !== undefined && life !== vouched.storeEpoch) {
      throw new ReefError('incomplete', {
        field: 'receipt.storeEpoch',
        message: 'This box knows another life of the shore’s store. It takes the record once the two agree.',
      });
    }
    const receipt = await this.acceptOp(op, { ...bringer, vouched });
    await this.#store.addReceipts([vouched]);
    return receipt;
  }

  /**
   * Verifies a cloud receipt that came with an operation or alone.
   *
   * @param keys the cloud's keys, as pinned on the box
   * @throws ReefError `bad-message`, `receipt-mismatch`
   */
  async checkCloudReceipt(value: unknown, keys: readonly PublicKey[] | undefined, op?: Op): Promise<Receipt> {
    const parsed = receiptSchema.safeParse(value);
    if (!parsed.success) {
      const field = ['receipt', ...(parsed.error.issues[0]?.path ?? [])].map(String).join('.');
      throw new ReefError('bad-message', { field, message: `${field} is not right.` });
    }
    const receipt = parsed.data;
    if (receipt.stage !== 'cloud')
      throw new ReefError('bad-message', { field: 'receipt.stage', message: 'receipt.stage is not "cloud".' });
    if (op !== undefined) checkReceiptMatches(receipt, op, blobRefOf(op));
    await checkReceiptSignature(receipt, keys ?? [], verifySignature);
    return receipt;
  }

  /**
   * Registers the announcement of a photograph and returns the offset to continue from.
   *
   * @throws ReefError `bad-message`, `unknown-survey`, `image-exists`, `too-large`, `storage-full`
   */
  async announce(notice: PhotographAnnouncement): Promise<Transfer> {
    checkDisplayPath(notice.path);
    if (notice.bytes > LIMITS.imageBytesMax)
      throw new ReefError('too-large', { field: 'bytes', limit: LIMITS.imageBytesMax });
    await this.#checkSurvey(notice.surveyId, 'surveyId');
    const recorded = await this.#recordedFor(notice.imageId, notice.sha256);
    const freed = recorded.find((blob) => blob.sha256 === notice.sha256 && blob.freed === true);
    // The box had the bytes and the shore has them: its receipt is valid, and the record may follow without them.
    if (freed !== undefined && freed.bytes === notice.bytes)
      return { uploadId: uploadIdOf(notice.imageId, notice.sha256), offset: freed.bytes, complete: true };
    const transfer = await this.#blobs.begin({
      owner: notice.imageId,
      sha256: notice.sha256 as Sha256,
      bytes: notice.bytes,
      type: notice.type,
    });
    if (this.#announced.size >= 50_000) this.#announced.clear();
    this.#announced.set(notice.imageId, notice.sha256);
    return transfer;
  }

  /** Confirms the author's claimed roles by the box's knowledge; the cloud's decision is taken over. */
  async #rolesOf(
    op: Op,
    by: PersonId | null,
    { deviceId, authorRoles, vouched }: Submitter,
  ): Promise<readonly ClaimedRole[]> {
    const claimed = claimedRoles(op);
    if (claimed.length === 0) return [];
    if (vouched !== undefined && authorRoles !== undefined) return claimed.filter((role) => authorRoles.includes(role));
    if (by === null || deviceId === undefined || !(await hasValidSignature(op, verifySignature))) return [];
    return confirmedRoles(claimed, this.#rolesOnTablet(by, deviceId, op.sig?.key));
  }

  async #checkLinks(op: Op, by: PersonId | null, vouched: Receipt | undefined): Promise<BlobRef | undefined> {
    switch (op.kind) {
      case 'profile':
        // A profile may only be written by its own person, through any relay.
        if (by !== null && by !== op.docId)
          throw new ReefError('forbidden', { field: 'op.by', message: 'A person may only write their own profile.' });
        return undefined;
      case 'survey':
        checkLinkedToUser(op);
        return undefined;
      case 'image':
        return this.#checkImage(op, vouched);
      case 'analysis':
        return undefined;
    }
  }

  async #checkImage(op: Op, vouched: Receipt | undefined): Promise<BlobRef | undefined> {
    const blob = blobOfImage(op);
    const { survey } = op.body;
    const surveyId = idSchema.safeParse(isObject(survey) ? survey['id'] : undefined);
    if (!surveyId.success)
      throw new ReefError('bad-message', {
        field: 'op.body.survey.id',
        message: 'op.body.survey.id is not the id of a survey.',
      });
    await this.#checkSurvey(surveyId.data, 'op.body.survey.id');
    const recorded = await this.#recordedFor(op.docId, blob.sha256);
    const size = await this.#blobs.size(blob.sha256);
    if (size === blob.bytes) return blob;
    const before = recorded.find(({ sha256 }) => sha256 === blob.sha256);
    if ((size ?? before?.bytes ?? blob.bytes) !== blob.bytes)
      throw new ReefError('hash-mismatch', {
        field: 'op.body.bytes',
        message: 'The bytes of that hash have another length.',
      });
    // "A hash already receipted for an image is not asked for again": an edit of a record whose bytes are only ashore.
    const knownElsewhere = before !== undefined && before.lost !== true;
    if (vouched === undefined && !knownElsewhere) throw await this.#missingBytesError(op.docId, blob.sha256);
    return undefined;
  }

  /** Error for missing bytes: some are still to come, or others came instead. */
  async #missingBytesError(imageId: string, sha256: string): Promise<ReefError> {
    const announced = this.#announced.get(imageId);
    if (announced !== undefined && announced !== sha256 && (await this.#blobs.has(announced))) {
      return new ReefError('hash-mismatch', {
        field: 'op.body.sha256',
        message: 'The photograph that arrived for this image has another hash.',
      });
    }
    try {
      return new ReefError('incomplete', { offset: (await this.#blobs.transfer(uploadIdOf(imageId, sha256))).offset });
    } catch (error) {
      if (error instanceof ReefError && error.code === 'not-found') return new ReefError('incomplete', { offset: 0 });
      throw error;
    }
  }

  async #checkSurvey(surveyId: string, field: string): Promise<void> {
    if ((await this.#store.document('survey', surveyId)) === undefined)
      throw new ReefError('unknown-survey', { field });
  }

  /** Bytes named by records of the image. @throws ReefError `image-exists` if they name only others */
  async #recordedFor(imageId: string, sha256: string): Promise<readonly RecordedBlob[]> {
    const recorded = await this.#store.recordedBlobs(imageId);
    if (recorded.length > 0 && !recorded.some((blob) => blob.sha256 === sha256))
      throw new ReefError('image-exists', { imageId });
    return recorded;
  }
}

/** Bytes named by an image, if valid: an operation that the cloud refused may be broken in just that. */
function blobRefOf(op: Op): BlobRef | undefined {
  const named = blobOf(op);
  return blobRefSchema.safeParse(named).success ? named : undefined;
}
