import type { Logger } from 'pino';
import { ReefError } from '../../src/domain/errors';
import type { Sha256 } from '../../src/domain/ids';
import { LIMITS } from '../../src/domain/limits';
import type { FreeingQuestion, FreeingAnswer } from '../../src/protocol/edge-http';
import type { BlobRef, PublicKey } from '../../src/protocol/receipt';
import { blobOf, checkReceiptMatches, checkReceiptSignature } from '../../src/protocol/receipt';
import type { FileBlobStore } from '../../src/server/blobs/file-blob-store';
import { verifySignature } from '../../src/server/ops/receipt-signer';
import type { FreeingNote, FreeingEvidence } from '../store/freed-bytes';
import type { SqliteAppendStore } from '../store/sqlite-append-store';
import type { Intake } from '../intake/intake';

/** Interval of searching the record for photographs to free: with room on the disk, and with little, ms. */
const SEARCH_INTERVALS_MS = { roomy: 10 * 60_000, full: 60_000 };
/**
 * Retry interval of photographs that could not be freed because the cloud lacks them or no preview could be stored, ms.
 */
const RETRY_MS = 60 * 60_000;
/** Maximum number of hashes waiting for a retry. */
const WAITING_MAX = 10_000;

interface FreeingContext {
  readonly store: SqliteAppendStore;
  readonly blobs: FileBlobStore;
  readonly intake: Pick<Intake, 'blobLocks'>;
  readonly cloudKeys: () => readonly PublicKey[] | undefined;
  /** Latest of trusted time and clock, ms since 1970: only chooses candidates. */
  readonly latestTime: () => number;
  readonly clock: () => number;
  /** Monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Stores a preview durably. A photograph without a possible preview has none afterwards either. */
  readonly retainPreview: (sha256: string) => Promise<void>;
  readonly newId: () => string;
  /** Search intervals, ms; tests and the simulator shorten them. */
  readonly looksMs?: typeof SEARCH_INTERVALS_MS;
  /** Called for each photograph whose bytes are gone. */
  readonly onFreed: (blob: BlobRef, why: FreeingNote['why']) => void;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

interface FreedTotals {
  readonly photographs: number;
  readonly bytes: number;
}

/**
 * Frees full-size photographs of a box (protocol, "Freeing": "An edge: after the cloud's receipt and 30 days, or at 80
 * % disk, oldest verified first"). The bridge asks the cloud on its behalf which ones it still has. Within a minute of
 * the answer the box frees what its own record proves again: every operation that names the bytes has an accepted
 * receipt of the current cloud epoch, signed by the pinned key. An answer can free nothing unasked. A preview, records
 * and receipts stay.
 */
export class Freeing {
  readonly #parts: FreeingContext;
  #question: { readonly id: string; readonly askedAt: number; readonly hashes: readonly Sha256[] } | undefined;
  #due: readonly Sha256[] = [];
  #refreshedAt = -Infinity;
  readonly #notBefore = new Map<string, number>();
  #pauses = 0;

  constructor(parts: FreeingContext) {
    this.#parts = parts;
  }

  /** True if there is something to ask the cloud for. */
  async isDue(): Promise<boolean> {
    if (this.#pauses > 0) return false;
    await this.#refresh();
    return this.#due.length > 0;
  }

  /** Creates the question for the cloud; null if nothing may be freed. A new question voids the previous one. */
  async createQuestion(): Promise<FreeingQuestion | null> {
    this.#question = undefined;
    if (this.#pauses > 0) return null;
    this.#refreshedAt = -Infinity;
    await this.#refresh();
    if (this.#due.length === 0) return null;
    this.#question = { id: this.#parts.newId(), askedAt: this.#parts.elapsed(), hashes: this.#due };
    return { id: this.#question.id, sha256: this.#due };
  }

  /**
   * Frees what the answer to the last question confirms, once.
   *
   * @throws ReefError `bad-message` for an answer to another question, or a late one; `receipt-mismatch` {field:
   * 'storeEpoch'} for an answer of another epoch than the receipts here. Nothing is freed then.
   */
  async applyAnswer({ id, storeEpoch, time, missing }: FreeingAnswer): Promise<FreedTotals> {
    const question = this.#question;
    if (question === undefined || question.id !== id)
      throw new ReefError('bad-message', {
        field: 'id',
        message: 'This does not answer what the box asked last. Nothing is freed.',
      });
    this.#question = undefined;
    const until = question.askedAt + LIMITS.freeProofValidMs;
    if (this.#parts.elapsed() > until)
      throw new ReefError('bad-message', {
        field: 'id',
        message: 'The answer took so long that the shore has to be asked again. Nothing is freed.',
      });
    if (storeEpoch !== this.#parts.store.cloudEpoch)
      throw new ReefError('receipt-mismatch', {
        field: 'storeEpoch',
        message: 'The store that answered is not the one that gave the receipts. Nothing is freed.',
      });
    const absent = new Set<string>(missing);
    const sum = { photographs: 0, bytes: 0 };
    for (const sha256 of question.hashes) {
      // An export that just began reads what it listed.
      if (this.#pauses > 0 || this.#parts.elapsed() > until) break;
      const bytes = absent.has(sha256) ? 0 : await this.#freeOne(sha256, time, until);
      if (this.#notBefore.size >= WAITING_MAX) this.#notBefore.clear();
      if (bytes === 0) this.#notBefore.set(sha256, this.#parts.elapsed() + RETRY_MS);
      else sum.photographs += 1;
      sum.bytes += bytes;
    }
    this.#refreshedAt = -Infinity;
    const { log } = this.#parts;
    if (absent.size > 0)
      log.error(
        { missing: question.hashes.filter((sha256) => absent.has(sha256)).length },
        'the cloud is missing photographs that it receipted; they stay on the box and are sent again',
      );
    if (sum.photographs > 0) log.info({ ...sum }, 'photographs that are ashore were freed; their previews stay');
    return sum;
  }

  /** Pauses freeing until the returned function is called, while an export reads the stored bytes. */
  pause(): () => void {
    this.#pauses += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#pauses -= 1;
      isHeld = false;
    };
  }

  async #bytesOverLimit(): Promise<number> {
    const { free, size } = await this.#parts.blobs.disk();
    return Math.max(0, size - free - LIMITS.boxFreeFromUsed * size);
  }

  /** Chooses candidates, oldest verification first. */
  async #refresh(): Promise<void> {
    const { elapsed, latestTime, store, looksMs = SEARCH_INTERVALS_MS } = this.#parts;
    const over = await this.#bytesOverLimit();
    if (elapsed() < this.#refreshedAt + looksMs[over > 0 ? 'full' : 'roomy']) return;
    this.#refreshedAt = elapsed();
    const due = new Set<Sha256>();
    let room = 0;
    const isOld = (storedAt: number): boolean => latestTime() - storedAt >= LIMITS.boxFreeAfterMs;
    for (let page = store.freed.page(0), last = 0; page.length > 0; page = store.freed.page(last)) {
      for (const { seq, sha256, bytes, storedAt, isHere } of page) {
        last = seq;
        if (!isHere || due.has(sha256) || (this.#notBefore.get(sha256) ?? -Infinity) > elapsed()) continue;
        // Receipts are stored in about the order of the cloud's times: after one that is too young no older one
        // follows.
        if (room >= over && !isOld(Date.parse(storedAt))) return void (this.#due = [...due]);
        const evidence = store.freed.evidence(sha256);
        if (evidence === undefined || (room >= over && !isOld(evidence.storedAt))) continue;
        due.add(sha256);
        room += bytes;
        if (due.size >= LIMITS.freeAtOnce) return void (this.#due = [...due]);
      }
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    this.#due = [...due];
  }

  /**
   * Frees one photograph if all conditions hold; returns its bytes, 0 if it stays. The lock prevents others from
   * relying on it.
   */
  #freeOne(sha256: Sha256, cloudTime: string, until: number): Promise<number> {
    const { store, blobs, intake, retainPreview, elapsed, clock, onFreed, log } = this.#parts;
    return intake.blobLocks.run(sha256, async () => {
      const evidence = store.freed.evidence(sha256);
      if (evidence === undefined) return 0;
      const why =
        Date.parse(cloudTime) - evidence.storedAt >= LIMITS.boxFreeAfterMs
          ? 'time'
          : (await this.#bytesOverLimit()) > 0
            ? 'disk'
            : undefined;
      if (why === undefined || !(await this.#isProven(evidence))) return 0;
      try {
        await retainPreview(sha256);
      } catch (error) {
        log.warn({ sha256, err: error }, 'a photograph was not freed: its preview could not be stored');
        return 0;
      }
      if (elapsed() > until) return 0;
      if (!(await store.markFreed(evidence, { why, cloudTime, freedAt: new Date(clock()).toISOString() }))) return 0;
      try {
        await blobs.addresses.removeDurably(sha256);
      } catch (error) {
        log.error({ sha256, err: error }, 'a photograph could not be deleted: it stays');
      }
      // If deleting failed, the bytes are still here and count. After a failed fsync nothing is recorded, and the next
      // start checks.
      const isHere = await blobs.has(sha256);
      await store.settleFreed(sha256, isHere ? 'here' : 'gone');
      if (isHere) return 0;
      onFreed(evidence.blob, why);
      return evidence.blob.bytes;
    });
  }

  /** True if each receipt is the cloud's for this operation and these bytes, by the keys pinned here. */
  async #isProven({ proofs, cloudEpoch }: FreeingEvidence): Promise<boolean> {
    const keys = this.#parts.cloudKeys() ?? [];
    try {
      for (const { op, receipt } of proofs) {
        if (receipt.stage !== 'cloud' || !receipt.accepted || receipt.storeEpoch !== cloudEpoch) return false;
        checkReceiptMatches(receipt, op, blobOf(op));
        await checkReceiptSignature(receipt, keys, verifySignature);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ReefError)) throw error;
      this.#parts.log.warn(
        { code: error.code, field: error.details['field'] },
        'a receipt does not hold: nothing is freed on its word',
      );
      return false;
    }
  }
}
