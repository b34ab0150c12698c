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
import { KeyedMutex } from '../../src/server/blobs/keyed-mutex';
import { blobOfImage, checkDisplayPath, checkHash, checkLinkedToUser, checkSize } from '../../src/server/ops/op-checks';
import { verifySignature } from '../../src/server/ops/receipt-signer';

/** What a client announces before it sends a photograph (`image:path`). */
export interface PhotographAnnouncement {
  readonly surveyId: string;
  readonly imageId: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly type: string;
}

/** Who brings an operation, and with what proof. */
export interface Submitter {
  /** The person of the session, for an operation that does not say who wrote it. */
  readonly person: PersonId | null;
  readonly roles: EdgeRoles;
  /** The tablet that brings it. */
  readonly deviceId?: string;
  /** What the cloud knew of the author's roles, where it brings an operation with its receipt. */
  readonly authorRoles?: readonly ClaimedRole[];
  /** The one kind that this event takes; absent: any. */
  readonly kind?: OpKind;
  /**
   * A cloud receipt that was checked already: the box may take the record without its bytes. What the cloud refused is
   * kept in quarantine here too, so that no node shows what another does not.
   */
  readonly vouched?: Receipt;
}

/**
 * The intake of the box: operations and photographs, checked in the order of the protocol ("Receipts and keys"): the
 * envelope; a known opId; the body's hash; the links. What the body says besides is kept as it is.
 */
export class Intake {
  /** By hash: who takes a record's bytes for being here and who frees them come one after the other. */
  readonly blobLocks = new KeyedMutex();
  readonly #store: AppendStore;
  readonly #blobs: BlobStore;
  readonly #onBytesRestored: (op: Op, blob: BlobRef) => void;
  readonly #cloudEpoch: () => string | undefined;
  readonly #rolesOnTablet: (uid: PersonId, deviceId: string) => CloudRoles;
  /** The hash last announced for an image since start: it tells a missing photograph from a different one. */
  readonly #announced = new Map<string, string>();

  /**
   * @param bytesBack told when a record comes again whose bytes are here (they had been lost, or had not come before)
   * @param cloudLife the cloud's present store epoch, as far as receipts told it
   * @param rolesOn what a person is who wrote on a tablet
   */
  constructor(
    store: AppendStore,
    blobs: BlobStore,
    bytesBack: (op: Op, blob: BlobRef) => void,
    cloudLife: () => string | undefined,
    rolesOn: (uid: PersonId, deviceId: string) => CloudRoles = () => rolesOfPerson(null),
  ) {
    this.#store = store;
    this.#blobs = blobs;
    this.#onBytesRestored = bytesBack;
    this.#cloudEpoch = cloudLife;
    this.#rolesOnTablet = rolesOn;
  }

  /**
   * Takes an operation in and gives its receipt, which is durable.
   *
   * @param value the operation as it came
   * @throws ReefError `bad-message`, `receipt-mismatch`, `too-large`, `hash-mismatch`, `forbidden`, `unlinked-survey`,
   *   `unknown-survey`, `image-exists`, `incomplete`
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
      if (blob !== undefined && (await this.#blobs.size(blob.sha256)) === blob.bytes) this.#onBytesRestored(op, blob);
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
      roles: this.#rolesOf(op, by, bringer),
      ...(blob === undefined ? {} : { blob }),
    });
  }

  /**
   * Takes an operation with a cloud receipt for it, as a tablet brings it whose bytes are ashore alone. The receipt is kept
   * beside the record.
   *
   * @param brought as it came
   * @param keys the cloud's keys, as pinned aboard
   * @throws ReefError as `takeOp`; `bad-message` {field} for a receipt that is not the cloud's word for just this; `incomplete`
   *   while this box cannot tell: it has no key of that cloud, or knows another life of its store
   */
  async acceptVouchedOp(
    brought: { readonly op?: unknown; readonly receipt?: unknown },
    bringer: Submitter,
    keys: readonly PublicKey[] | undefined,
  ): Promise<Receipt> {
    const op = parseOp(brought.op);
    const vouched = await this.checkCloudReceipt(brought.receipt, keys, op).catch((error: unknown) => {
      if (!(error instanceof ReefError) || error.code !== 'receipt-mismatch') throw error;
      // To whoever sends, `receipt-mismatch` says that the operation itself is another one than the box knows.
      const field = `receipt.${String(error.details['field'])}`;
      if (field === 'receipt.kid')
        throw new ReefError('incomplete', {
          field,
          message: 'This box does not know the key of that shore yet. It takes the record once it does.',
        });
      throw new ReefError('bad-message', { field, message: `${field} is not what the shore signed for this record.` });
    });
    // A tablet may come with what an earlier cloud said. Which of two lives is the present one the bridge tells: it comes again.
    const life = this.#cloudEpoch();
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
   * Checks a cloud receipt that came with an operation or alone.
   *
   * @param keys the cloud's keys, as pinned aboard
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
   * Takes the announcement of a photograph and says where to go on from.
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
    // The box had them whole, and the shore has them: its receipt stands, and the record may follow without them.
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

  /** Of what an operation says of its author's roles, what the box knows of them. What the cloud brings it has judged. */
  #rolesOf(op: Op, by: PersonId | null, { deviceId, authorRoles, vouched }: Submitter): readonly ClaimedRole[] {
    const claimed = claimedRoles(op);
    if (claimed.length === 0) return [];
    if (vouched !== undefined && authorRoles !== undefined) return claimed.filter((role) => authorRoles.includes(role));
    return by === null || deviceId === undefined ? [] : confirmedRoles(claimed, this.#rolesOnTablet(by, deviceId));
  }

  async #checkLinks(op: Op, by: PersonId | null, vouched: Receipt | undefined): Promise<BlobRef | undefined> {
    switch (op.kind) {
      case 'profile':
        // Whoever relays it, a profile is its person's own.
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
    // "A hash already receipted for an image is not asked for again": an edit of a record whose bytes are ashore alone.
    const knownElsewhere = before !== undefined && before.lost !== true;
    if (vouched === undefined && !knownElsewhere) throw await this.#missingBytesError(op.docId, blob.sha256);
    return undefined;
  }

  /** The bytes are not here: some are still to come, or others came instead. */
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

  /** The bytes that records of the image name. @throws ReefError `image-exists` when they name others alone */
  async #recordedFor(imageId: string, sha256: string): Promise<readonly RecordedBlob[]> {
    const recorded = await this.#store.recordedBlobs(imageId);
    if (recorded.length > 0 && !recorded.some((blob) => blob.sha256 === sha256))
      throw new ReefError('image-exists', { imageId });
    return recorded;
  }
}

/** The bytes that an image names, where it names any: what the cloud refused may be broken in just that. */
function blobRefOf(op: Op): BlobRef | undefined {
  const named = blobOf(op);
  return blobRefSchema.safeParse(named).success ? named : undefined;
}
