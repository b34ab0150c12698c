import { backoffDelay } from '../../../base/backoff';
import { ReefError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { StoreRef } from '../../ops/database';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { findOp } from '../../ops/segments';
import { holdOp } from '../../ops/holds';
import { removeLostBytes } from '../../ops/lost-bytes';
import { storeReceipt } from '../../ops/ingest';
import type { Upstream, UpstreamLink } from '../../transport/upstream';
import { Emitter } from '../../../base/emitter';
import { ObservableValue } from '../../../base/observable';
import { sleep } from '../../transport/timing';
import { ChunkSize } from './chunk-size';
import { handleOpIdClash } from './handle-op-id-clash';
import { BadReceiptError, StoppedError, offer } from './offer';
import { OfferedOps } from './offered-ops';
import type { Delay } from './outbox';
import { canSendWithoutBytes, nextStep, owedTo } from './outbox';
import { SenderReport } from './sender-report';

/** Pauses of an item after its retries. */
const ROUND_DELAYS = { firstMs: LIMITS.reconnectDelayMs, maxMs: LIMITS.connectivityRetryMaxMs };

/**
 * Sends what the current target store (the box, else the cloud) has not receipted in its current epoch, and stores each
 * receipt before notifying anyone. One tab runs it (`tablet-sync.ts` holds the lock). Independent of the signed-in
 * user.
 */
export class Sender {
  readonly #report: SenderReport;
  readonly isPaused = new ObservableValue(false);
  readonly offered = new OfferedOps();
  /** Incremented when a person cancels what is in flight. */
  #cancelled = 0;
  readonly delays = new Map<OpId, Delay>();
  readonly #wakeSignal = new Emitter<void>();
  /** Number of wake-ups, so that one between checking and waiting is not missed. */
  #wakeCount = 0;
  readonly #chunks = new ChunkSize();
  #imagesNotBefore = 0;
  #imageRounds = 0;
  /** Ends a wait between two tries when this tab stops sending. */
  #endSignal: AbortSignal | undefined;

  readonly #store: OpsStore;
  readonly #opIndex: OpIndex;
  readonly #link: UpstreamLink;
  readonly #targetStore: () => StoreRef | undefined;
  readonly #pull: (upstream: Upstream) => Promise<void>;

  constructor(
    store: OpsStore,
    opIndex: OpIndex,
    link: UpstreamLink,
    targetStore: () => StoreRef | undefined,
    /** Reads the feed to its end: it contains receipts whose replies were lost. */
    pull: (upstream: Upstream) => Promise<void>,
  ) {
    this.#store = store;
    this.#opIndex = opIndex;
    this.#link = link;
    this.#targetStore = targetStore;
    this.#pull = pull;
    this.#report = new SenderReport(store.host.clock);
  }

  get facts(): SenderReport['facts'] {
    return this.#report.facts;
  }

  setPaused(paused: boolean): void {
    this.isPaused.set(paused);
    this.wake();
  }

  /** Wakes the sender, for example when the target store changed. */
  wake(): void {
    this.#wakeCount += 1;
    this.#wakeSignal.emit();
  }

  /** Cancels what is in flight after the current chunk. It stays saved and owed; the box retains the bytes it has. */
  cancel(): void {
    this.#cancelled += 1;
    this.wake();
  }

  /** Retries everything that waits, at once. */
  tryNow(): void {
    // The reasons stay visible until the items are sent.
    for (const [opId, delay] of this.delays) this.delays.set(opId, { ...delay, notBefore: 0 });
    this.#imagesNotBefore = 0;
    this.wake();
  }

  hasOwed(): boolean {
    const storeRef = this.#targetStore();
    return storeRef !== undefined && owedTo(this.#opIndex, storeRef).length > 0;
  }

  /** Sends until the signal aborts; holds the connection only while something is owed. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = [
      this.#opIndex.onChange(() => this.wake()),
      this.#link.state.subscribe(() => this.#onLink()),
      onAbort(signal, () => this.wake()),
    ];
    let release: (() => void) | undefined;
    this.#endSignal = signal;
    this.#report.notify(true);
    try {
      while (!signal.aborted) {
        const wakeCount = this.#wakeCount;
        const wanted = !this.isPaused.get() && this.hasOwed();
        if (wanted) release ??= this.#link.acquire();
        else {
          release?.();
          release = undefined;
        }
        const upstream = this.#link.current;
        if (wanted && upstream !== undefined) await this.#sendOnConnection(upstream, signal);
        else await this.#nextWake(wakeCount, null, signal);
      }
    } finally {
      release?.();
      stopListening.forEach((stop) => stop());
      this.#report.notify(false);
    }
  }

  /** Sends on one connection until it ends, nothing can be sent now, or the person paused. */
  async #sendOnConnection(upstream: Upstream, signal: AbortSignal): Promise<void> {
    const workers = new Set<Promise<void>>();
    this.#report.begin();
    const isStopped = (): boolean => signal.aborted || this.isPaused.get() || this.#link.current !== upstream;
    while (!isStopped()) {
      const wakeCount = this.#wakeCount;
      const step = nextStep({
        opIndex: this.#opIndex,
        storeRef: upstream,
        recordsAtOnce: upstream.recordsAtOnce,
        inFlight: this.#report.inFlight,
        delays: this.delays,
        imagesNotBefore: this.#imagesNotBefore,
        now: this.#store.host.clock.elapsed(),
      });
      if (step.kind === 'send') {
        const cancelled = this.#cancelled;
        const worker: Promise<void> = this.#send(
          upstream,
          step.entry,
          () => isStopped() || this.#cancelled !== cancelled,
        ).finally(() => {
          workers.delete(worker);
          this.wake();
        });
        workers.add(worker);
        continue;
      }
      this.#report.waitUntil(step.until);
      // With nothing owed the connection is released; an image may also wait for a held survey.
      if (workers.size === 0 && !this.hasOwed()) break;
      await this.#nextWake(wakeCount, step.until, signal);
    }
    await Promise.all(workers);
    this.#report.notify(true);
  }

  async #send(upstream: Upstream, entry: OpIndexEntry, isStopped: () => boolean): Promise<void> {
    const { opId } = entry;
    this.#report.startItem(opId, entry.docId, entry.kind === 'image' ? (entry.blob?.bytes ?? 0) : 0);
    try {
      await this.#sendWithRetries(upstream, entry, isStopped);
    } catch (error) {
      await this.#handleFailure(upstream, entry, error).catch((unnoted: unknown) => {
        // The storage was full or the connection ended while the failure was handled: the item stays owed.
        this.#store.host.log.note('warn', 'Handling a failure failed; the item will be retried.', {
          opId,
          error: String(unnoted),
        });
        this.#delay(entry, unnoted instanceof ReefError ? unnoted : new ReefError('internal', { cause: unnoted }));
      });
    } finally {
      this.#report.finishItem(opId);
    }
  }

  /** 1§9: "Retries: 3, first delay 1000 ms, doubling." */
  async #sendWithRetries(upstream: Upstream, entry: OpIndexEntry, isStopped: () => boolean): Promise<void> {
    for (let retry = 0; ; retry++) {
      try {
        await this.#sendOnce(upstream, entry, isStopped);
        return;
      } catch (error) {
        if (retry >= LIMITS.retries || !isWorthRetrying(error) || isStopped()) throw error;
        const delay = backoffDelay(retry + 1, { firstMs: LIMITS.retryFirstDelayMs });
        await sleep(this.#store.host.timers, delay, this.#endSignal);
        if (isStopped()) throw error;
      }
    }
  }

  async #sendOnce(upstream: Upstream, entry: OpIndexEntry, isStopped: () => boolean): Promise<void> {
    const store = this.#store;
    const opIndex = this.#opIndex;
    // Before the row is read: a reissue either sees it and keeps the id, or has replaced the row.
    this.offered.add(entry.opId, upstream);
    const row = await store.run(() => findOp(store, entry));
    if (row === undefined) {
      // Reissued under another id, or rolled back: the index is behind.
      await opIndex.follow();
      return;
    }
    const storeRef: StoreRef = upstream;
    let before: number | undefined;
    const { blob } = entry;
    const hasLocalBytes = blob !== undefined && opIndex.hasBytes(blob.sha256);
    const receipted = blob !== undefined && opIndex.isBlobReceipted(entry.docId, blob.sha256, storeRef);
    const recorded = receipted || (blob !== undefined && opIndex.isBlobRecorded(entry.docId, blob.sha256, storeRef));
    const storeHasBytes = receipted || (!hasLocalBytes && canSendWithoutBytes(opIndex, storeRef, entry));
    const receipt = await offer(
      {
        store,
        upstream,
        chunks: this.#chunks,
        isStopped,
        onProgress: (sent, bytes) => {
          this.#report.progress(entry.opId, entry.docId, {
            sent,
            bytes,
            fresh: before === undefined ? 0 : sent - before,
          });
          before = sent;
        },
      },
      row.op,
      {
        storeHasBytes,
        hasLocalBytes,
        supportingReceipt:
          upstream.stage === 'cloud'
            ? opIndex.edgeReceiptFor(entry)
            : storeHasBytes && !recorded
              ? opIndex.cloudReceiptFor(entry)
              : undefined,
        by: row.by,
      },
    );
    await storeReceipt(store, receipt);
    this.offered.settle(entry.opId, upstream);
    if (blob !== undefined && !storeHasBytes && opIndex.isLost(blob.sha256, storeRef))
      await removeLostBytes(store, storeRef, blob.sha256);
    await opIndex.follow();
    this.delays.delete(entry.opId);
    if (entry.kind === 'image') this.#imageRounds = 0;
    this.#report.problem = null;
  }

  async #handleFailure(upstream: Upstream, entry: OpIndexEntry, thrown: unknown): Promise<void> {
    if (thrown instanceof StoppedError) return;
    const error =
      thrown instanceof BadReceiptError
        ? thrown.error
        : thrown instanceof ReefError
          ? thrown
          : new ReefError('internal', { message: 'Sending failed on this tablet.', cause: thrown });
    this.#store.host.log.note('warn', 'An item was not sent.', {
      opId: entry.opId,
      kind: entry.kind,
      code: error.code,
      message: error.message,
    });
    this.#report.problem = error.toWire();
    if (thrown instanceof BadReceiptError || !(thrown instanceof ReefError)) {
      this.#delay(entry, error);
      return;
    }
    switch (error.code) {
      case 'receipt-mismatch':
        if (await this.#handleOpIdClash(upstream, entry)) await this.#hold(upstream, entry, error);
        return;
      case 'disconnected':
        // The socket is still connected (something blocks HTTP): not retried at once.
        if (this.#link.current === upstream) this.#delay(entry, error);
        return;
      case 'timeout':
        this.#delay(entry, error);
        // The connection may be half-open: a new one will show.
        this.#link.drop();
        return;
      case 'unauthorised':
      case 'pairing-required':
        this.#link.drop();
        return;
      case 'storage-full':
        this.#delay(entry, error);
        if (entry.kind === 'image') {
          this.#imageRounds += 1;
          this.#imagesNotBefore = this.#store.host.clock.elapsed() + backoffDelay(this.#imageRounds, ROUND_DELAYS);
        }
        return;
      default:
        if (error.retryable && error.code !== 'hash-mismatch') this.#delay(entry, error);
        else await this.#hold(upstream, entry, error);
    }
  }

  #handleOpIdClash(upstream: Upstream, entry: OpIndexEntry): Promise<boolean> {
    const context = { store: this.#store, opIndex: this.#opIndex, offered: this.offered, pull: this.#pull };
    return handleOpIdClash(context, upstream, entry);
  }

  async #hold(upstream: Upstream, { opId }: OpIndexEntry, error: ReefError): Promise<void> {
    const { nodeId, storeEpoch } = upstream;
    await holdOp(this.#store, { opId, nodeId, storeEpoch }, error.toWire());
    await this.#opIndex.follow();
  }

  #delay({ opId }: OpIndexEntry, error: ReefError): void {
    const rounds = (this.delays.get(opId)?.rounds ?? 0) + 1;
    const asked = error.details['retryAfterMs'];
    const wait = Math.max(backoffDelay(rounds, ROUND_DELAYS), typeof asked === 'number' ? Math.min(asked, 60_000) : 0);
    this.delays.set(opId, { problem: error.toWire(), rounds, notBefore: this.#store.host.clock.elapsed() + wait });
  }

  #onLink(): void {
    // A new connection is a new chance for waiting items.
    if (this.#link.state.get().status === 'connected') this.tryNow();
    else this.wake();
  }

  /** Waits for the next change since `wakeCount` was read, or for a time. */
  #nextWake(wakeCount: number, until: number | null, signal: AbortSignal): Promise<void> {
    const { clock, timers } = this.#store.host;
    if (wakeCount !== this.#wakeCount) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const done = (): void => {
        cancel();
        stop();
        resolve();
      };
      const stop = this.#wakeSignal.subscribe(done);
      if (until !== null) cancel = timers.after(Math.max(0, until - clock.elapsed()), done);
      if (signal.aborted) done();
    });
  }
}

/** True if a retry on the same connection can help. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof BadReceiptError) return true;
  if (error instanceof StoppedError) return false;
  if (!(error instanceof ReefError)) return true;
  return error.retryable && !['disconnected', 'storage-full', 'hash-mismatch'].includes(error.code);
}

function onAbort(signal: AbortSignal, call: () => void): () => void {
  signal.addEventListener('abort', call);
  return () => signal.removeEventListener('abort', call);
}
