import { isObject } from '../../../src/domain/json';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { CloudKeysReply } from '../../../src/protocol/cloud-http';
import type { WireError } from '../../../src/domain/errors';
import { findReissued, isOpIdTaken } from '../upload/find-reissued';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged, countReceived, jsonBytes, nextItemRetry, reserveBudget } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';

/** Statements about people in one request: some 100 KB. */
const STATEMENTS_AT_ONCE = 200;

/** Stores the cloud's feed on the box, from the cursor to its end: receipts, and others' operations. */
export class Downlink {
  readonly #parts: BridgeContext;
  readonly #etags = new Map<string, string | null>();
  #forwardedKeys = '';
  #boxKeys = '';
  /** Signatures of the statements that the cloud has. */
  readonly #stated = new Set<string>();

  constructor(parts: BridgeContext) {
    this.#parts = parts;
  }

  /**
   * Stores the cloud's changes on the box. The cursor passes an entry once it is stored or listed as rejected.
   *
   * @throws NodeError, BudgetExhausted, EpochChanged
   */
  async pull(signal?: AbortSignal): Promise<void> {
    const { tracker } = this.#parts;
    for (;;) {
      const page = await this.#page(tracker.cloudCursor, this.#pageEntries(), signal);
      if (page.entries.length === 0) break;
      await this.#storeOnBox(page.entries, signal);
      tracker.advanceCloudCursor(page.next);
      await tracker.saveThrottled();
    }
    await this.#retryRejected(signal);
  }

  /** Fetches the cloud's keys: without them the box trusts no receipt. */
  async fetchKeys(signal?: AbortSignal): Promise<CloudKeysReply> {
    await reserveBudget(this.#parts, 0, signal);
    const reply = await callNode('cloud', this.#parts.cloud.keys(signal));
    countReceived(this.#parts, reply);
    return reply;
  }

  async forwardKeys(reply: CloudKeysReply, signal?: AbortSignal): Promise<void> {
    const { edge } = this.#parts;
    const keys = reply.keys
      .filter((key) => key.for === 'receipt')
      .map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid }));
    const text = JSON.stringify(keys);
    if (text === this.#forwardedKeys) return;
    await callNode('edge', edge.putReference('cloud-keys', { keys }, signal));
    this.#forwardedKeys = text;
  }

  /** Syncs the token keys and all other reference data that changed. */
  async syncReferences(signal?: AbortSignal): Promise<ReadonlyMap<string, unknown>> {
    const { cloud, edge, limits } = this.#parts;
    const news = new Map<string, unknown>();
    await reserveBudget(this.#parts, 0, signal);
    const jwks = await callNode('cloud', cloud.jwks(signal));
    countReceived(this.#parts, jwks);
    const text = JSON.stringify(jwks);
    if (isObject(jwks) && this.#etags.get('jwks') !== text) {
      await callNode('edge', edge.putReference('jwks', jwks, signal));
      this.#etags.set('jwks', text);
    }
    for (const name of limits.references) {
      await reserveBudget(this.#parts, 0, signal);
      const found = await callNode('cloud', cloud.reference(name, this.#etags.get(name) ?? null, signal));
      if (found === null) continue;
      countReceived(this.#parts, found.value);
      await callNode('edge', edge.putReference(name, found.value, signal));
      this.#etags.set(name, found.etag);
      news.set(name, found.value);
    }
    return news;
  }

  /**
   * Registers the box's keys with the cloud once, so that its drives and receipts are known ashore. Staff resolve a
   * refusal; nothing else waits for it.
   */
  async boxKeys(signal?: AbortSignal): Promise<void> {
    const { cloud, edge, log, node } = this.#parts;
    try {
      const keys = await callNode('edge', edge.ownKeys(signal));
      const text = JSON.stringify(keys);
      if (keys.bundle.length + keys.receipt.length === 0 || text === this.#boxKeys) return;
      await reserveBudget(this.#parts, text.length, signal);
      this.#boxKeys = text;
      await callNode('cloud', cloud.boxKeys({ node: node(), keys: keys.bundle, receiptKeys: keys.receipt }, signal));
    } catch (error) {
      if (
        !(error instanceof NodeError) ||
        !(isItemError(error) || (error.side === 'cloud' && error.error.code === 'forbidden'))
      ) {
        this.#boxKeys = '';
        throw error;
      }
      log('warn', 'the cloud does not know the key of this box’s bundles; staff confirm it when one is imported', {
        side: error.side,
        code: error.error.code,
        message: error.error.message,
      });
    }
  }

  /** Sends the box's new statements about people: what they wrote waits for them ashore. */
  async people(signal?: AbortSignal): Promise<void> {
    try {
      await this.#sendPeople(signal);
    } catch (error) {
      if (!(error instanceof NodeError) || !isItemError(error)) throw error;
      this.#parts.log('warn', 'the statements about the box’s people are not ashore; retrying later', {
        side: error.side,
        code: error.error.code,
        message: error.error.message,
      });
    }
  }

  async #sendPeople(signal?: AbortSignal): Promise<void> {
    const { cloud, edge, node } = this.#parts;
    const { keys, statements } = await callNode('edge', edge.people(signal));
    const fresh = statements.filter((statement) => !this.#stated.has(signatureOf(statement)));
    // Oldest first.
    for (let end = fresh.length; end > 0; end -= STATEMENTS_AT_ONCE) {
      const some = fresh.slice(Math.max(0, end - STATEMENTS_AT_ONCE), end);
      await reserveBudget(this.#parts, jsonBytes(some), signal);
      const isTaken = await callNode(
        'cloud',
        cloud.people({ node: node(), people: { keys, statements: some } }, signal),
      );
      if (!isTaken) return;
      for (const statement of some) this.#stated.add(signatureOf(statement));
    }
  }

  /** Resets what was sent, for another box or one that lost its data. */
  reset(): void {
    this.#etags.clear();
    this.#forwardedKeys = '';
    this.#boxKeys = '';
    this.#stated.clear();
  }

  #pageEntries(): number {
    const { limits, rate } = this.#parts;
    const measured = rate.bytesPerSecond();
    // An entry is about a kilobyte; a page should arrive within a piece's time.
    return measured === null
      ? Math.min(50, limits.pageEntries)
      : Math.max(20, Math.min(limits.pageEntries, Math.floor((measured * limits.pieceMs) / 1_000_000)));
  }

  async #page(since: number, limit: number, signal?: AbortSignal): Promise<ChangesPage> {
    const { cloud, tracker } = this.#parts;
    await reserveBudget(this.#parts, 0, signal);
    const page = await callNode('cloud', cloud.changes({ since, limit, node: this.#parts.node() }, signal));
    countReceived(this.#parts, page);
    if (page.storeEpoch !== tracker.cloudEpoch) throw new EpochChanged();
    return page;
  }

  async #storeOnBox(entries: readonly ChangeEntry[], signal?: AbortSignal): Promise<void> {
    const { edge, tracker } = this.#parts;
    const withOp = entries.filter(({ op }) => op !== undefined);
    const alone = entries.flatMap(({ op, receipt }) => (op === undefined && receipt !== undefined ? [receipt] : []));
    const ops = withOp.map(({ op, receipt, by, roles }) => ({
      op,
      ...(receipt === undefined ? {} : { receipt }),
      ...(by === undefined ? {} : { by }),
      ...(roles === undefined ? {} : { roles }),
    }));
    const reply = await callNode('edge', edge.postOps({ ops, receipts: alone }, signal));
    const wrong = new Map<string, WireError>();
    for (const { opId, error } of reply.receipts.errors) if (opId !== null) wrong.set(opId, error);
    for (const [i, { op }] of withOp.entries()) {
      const result = reply.results[i];
      if (op !== undefined && result !== undefined && 'error' in result) wrong.set(op.opId, result.error);
    }
    for (const entry of entries) {
      const opId = entry.op?.opId ?? entry.receipt?.opId;
      const error = opId === undefined ? undefined : wrong.get(opId);
      if (opId !== undefined && error !== undefined) this.#reject(entry.seq, opId, error);
      else {
        tracker.rejected.delete(entry.seq);
        if (entry.receipt !== undefined) tracker.recordReceipt(entry.receipt);
      }
    }
  }

  #reject(seq: number, opId: string, { code, message }: WireError): void {
    const { tracker, log } = this.#parts;
    const tries = (tracker.rejected.get(seq)?.tries ?? 0) + 1;
    if (tries === 1) log('warn', 'the box refused an entry of the cloud; retrying later', { opId, code, message });
    tracker.rejected.set(seq, { seq, opId, code, message, tries });
    tracker.notBefore.set(seq, nextItemRetry(this.#parts, tries));
    tracker.markChanged();
  }

  /** Retries entries that the box rejected, once their wait is over. */
  async #retryRejected(signal?: AbortSignal): Promise<void> {
    const { tracker } = this.#parts;
    for (const strayed of [...tracker.rejected.values()].sort((a, b) => a.seq - b.seq)) {
      const { seq } = strayed;
      if (!tracker.isDue(seq)) continue;
      const [entry] = (await this.#page(seq - 1, 1, signal)).entries;
      // The box has this operation under its reissued opId.
      const again =
        entry?.op !== undefined &&
        isOpIdTaken(strayed) &&
        (await findReissued(this.#parts, entry.op, 0, signal)) !== undefined;
      if (entry?.seq === seq && !again) await this.#storeOnBox([entry], signal);
      else tracker.rejected.delete(seq); // no longer for this box, or here already
      tracker.markChanged();
    }
  }
}

function signatureOf(statement: unknown): string {
  return isObject(statement) && typeof statement['sig'] === 'string' ? statement['sig'] : '';
}
