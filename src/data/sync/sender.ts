import { ReefError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import { LIMITS } from '../../domain/limits';
import type { Ledger, LedgerEntry, StoreLife } from '../ops/ledger';
import type { OpsStore } from '../ops/ops-store';
import { knownOp } from '../ops/segments';
import { hold, takeReceipt } from '../ops/take-in';
import type { Upstream, UpstreamLink } from '../transport/upstream';
import { Cell, Signal } from '../transport/signal';
import { sleep } from '../transport/waiting';
import { ChunkSize } from './chunk-size';
import { meetClash } from './clash';
import { BadReceipt, Stopped, offer } from './offer';
import type { Delay } from './outbox';
import { goesWithoutBytes, nextStep, owedTo } from './outbox';
import { SenderReport } from './sender-report';

/** The first pause of an item whose tries are used up, ms; it doubles to the connectivity maximum. */
const FIRST_ROUND_MS = LIMITS.reconnectDelayMs;

/**
 * The sender: offers what the present life of the store that counts now (the box, else the cloud) has not receipted, and stores each receipt before anybody hears of
 * it. One tab of the tablet runs it (`tablet-sync.ts` holds the lock). Who is signed in does not matter to it.
 */
export class Sender {
  readonly #report: SenderReport;
  /** True while a person has paused sending. */
  readonly pausing = new Cell(false);
  /** Raised by a person who gives up what is in hand. */
  #cancelled = 0;
  /** Why single items wait, for custody. */
  readonly delays = new Map<OpId, Delay>();
  readonly #woken = new Signal<void>();
  /** How often it was woken: a word that comes between looking and waiting is not missed. */
  #wakes = 0;
  readonly #chunks = new ChunkSize();
  #imagesNotBefore = 0;
  #imageRounds = 0;
  /** Ends a wait between two tries when this tab gives up sending. */
  #ending: AbortSignal | undefined;

  readonly #store: OpsStore;
  readonly #ledger: Ledger;
  readonly #link: UpstreamLink;
  readonly #present: () => StoreLife | undefined;
  readonly #pull: (upstream: Upstream) => Promise<void>;

  constructor(
    store: OpsStore,
    ledger: Ledger,
    link: UpstreamLink,
    present: () => StoreLife | undefined,
    /** Reads the feed to its end: receipts that were given but never arrived are among it. */
    pull: (upstream: Upstream) => Promise<void>,
  ) {
    this.#store = store;
    this.#ledger = ledger;
    this.#link = link;
    this.#present = present;
    this.#pull = pull;
    this.#report = new SenderReport(store.host.clock);
  }

  /** What it is doing. */
  get facts(): SenderReport['facts'] {
    return this.#report.facts;
  }

  setPaused(paused: boolean): void {
    this.pausing.set(paused);
    this.wake();
  }

  /** Another store counts now: what is owed is looked at anew. */
  wake(): void {
    this.#wakes += 1;
    this.#woken.emit();
  }

  /** Gives up what is in hand after the chunk on its way. It stays saved and owed; the box keeps the bytes that it has. */
  cancel(): void {
    this.#cancelled += 1;
    this.wake();
  }

  /** Takes up everything that waits, at once. */
  tryNow(): void {
    // Why they waited stays visible until they went.
    for (const [opId, delay] of this.delays) this.delays.set(opId, { ...delay, notBefore: 0 });
    this.#imagesNotBefore = 0;
    this.wake();
  }

  /** True while something is owed to the store that counts now. */
  owes(): boolean {
    const life = this.#present();
    return life !== undefined && owedTo(this.#ledger, life).length > 0;
  }

  /** Sends until the signal; holds the connection only while something is owed. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = [
      this.#ledger.onChange(() => this.wake()),
      this.#link.state.subscribe(() => this.#onLink()),
      onAbort(signal, () => this.wake()),
    ];
    let release: (() => void) | undefined;
    this.#ending = signal;
    this.#report.tell(true);
    try {
      while (!signal.aborted) {
        const wakes = this.#wakes;
        const wanted = !this.pausing.get() && this.owes();
        if (wanted) release ??= this.#link.acquire();
        else {
          release?.();
          release = undefined;
        }
        const upstream = this.#link.current;
        if (wanted && upstream !== undefined) await this.#sendWhile(upstream, signal);
        else await this.#nextWake(wakes, null, signal);
      }
    } finally {
      release?.();
      stopListening.forEach((stop) => stop());
      this.#report.tell(false);
    }
  }

  /** Works on one connection until it ends, nothing can go now, or the person paused. */
  async #sendWhile(upstream: Upstream, signal: AbortSignal): Promise<void> {
    const hands = new Set<Promise<void>>();
    this.#report.begin();
    const stopped = (): boolean => signal.aborted || this.pausing.get() || this.#link.current !== upstream;
    while (!stopped()) {
      const wakes = this.#wakes;
      const step = nextStep({
        ledger: this.#ledger,
        life: upstream,
        recordsAtOnce: upstream.recordsAtOnce,
        inFlight: this.#report.inFlight,
        delays: this.delays,
        imagesNotBefore: this.#imagesNotBefore,
        now: this.#store.host.clock.elapsed(),
      });
      if (step.do === 'send') {
        const cancelled = this.#cancelled;
        const hand: Promise<void> = this.#send(
          upstream,
          step.entry,
          () => stopped() || this.#cancelled !== cancelled,
        ).finally(() => {
          hands.delete(hand);
          this.wake();
        });
        hands.add(hand);
        continue;
      }
      this.#report.waitUntil(step.until);
      // With nothing owed the connection is let go; an image may also wait for a survey that a person has to look at.
      if (hands.size === 0 && !this.owes()) break;
      await this.#nextWake(wakes, step.until, signal);
    }
    await Promise.all(hands);
  }

  async #send(upstream: Upstream, entry: LedgerEntry, stopped: () => boolean): Promise<void> {
    const { opId } = entry;
    this.#report.take(opId, entry.docId, entry.kind === 'image' ? (entry.blob?.bytes ?? 0) : 0);
    try {
      await this.#sendWithRetries(upstream, entry, stopped);
    } catch (error) {
      await this.#noteFailure(upstream, entry, error).catch((unnoted: unknown) => {
        // The storage was full or the connection ended while the failure was dealt with: the item stays owed.
        this.#store.host.log.note('warn', 'A failure could not be worked off; the item is tried again.', {
          opId,
          error: String(unnoted),
        });
        this.#delay(entry, unnoted instanceof ReefError ? unnoted : new ReefError('internal', { cause: unnoted }));
      });
    } finally {
      this.#report.letGo(opId);
    }
  }

  /** 1§9: "Retries: 3, first delay 1000 ms, doubling." */
  async #sendWithRetries(upstream: Upstream, entry: LedgerEntry, stopped: () => boolean): Promise<void> {
    for (let retry = 0; ; retry++) {
      try {
        await this.#sendOnce(upstream, entry, stopped);
        return;
      } catch (error) {
        if (retry >= LIMITS.retries || !canHelp(error) || stopped()) throw error;
        await sleep(this.#store.host.timers, LIMITS.retryFirstDelayMs * 2 ** retry, this.#ending);
        if (stopped()) throw error;
      }
    }
  }

  async #sendOnce(upstream: Upstream, entry: LedgerEntry, stopped: () => boolean): Promise<void> {
    const store = this.#store;
    const ledger = this.#ledger;
    const row = await store.run(() => knownOp(store, entry));
    if (row === undefined) {
      // Issued again under another number, or taken back: the ledger is behind.
      await ledger.follow();
      return;
    }
    const life: StoreLife = upstream;
    let before: number | undefined;
    const { blob } = entry;
    const bytesHere = blob !== undefined && ledger.hasBytes(blob.sha256);
    const receipted = blob !== undefined && ledger.blobReceipted(entry.docId, blob.sha256, life);
    const recorded = receipted || (blob !== undefined && ledger.blobRecorded(entry.docId, blob.sha256, life));
    const bytesThere = receipted || (!bytesHere && goesWithoutBytes(ledger, life, entry));
    const receipt = await offer(
      {
        store,
        upstream,
        chunks: this.#chunks,
        stopped,
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
        bytesThere,
        bytesHere,
        vouching:
          upstream.stage === 'cloud'
            ? ledger.letInAboard(entry)
            : bytesThere && !recorded
              ? ledger.vouching(entry)
              : undefined,
        by: row.by,
      },
    );
    await takeReceipt(store, receipt);
    await ledger.follow();
    this.delays.delete(entry.opId);
    if (entry.kind === 'image') this.#imageRounds = 0;
    this.#report.problem = null;
  }

  async #noteFailure(upstream: Upstream, entry: LedgerEntry, thrown: unknown): Promise<void> {
    if (thrown instanceof Stopped) return;
    const error =
      thrown instanceof BadReceipt
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
    if (thrown instanceof BadReceipt || !(thrown instanceof ReefError)) {
      this.#delay(entry, error);
      return;
    }
    switch (error.code) {
      case 'receipt-mismatch':
        if (await meetClash({ store: this.#store, ledger: this.#ledger, pull: this.#pull }, upstream, entry))
          await this.#hold(upstream, entry, error);
        return;
      case 'disconnected':
        // The socket stands all the same (a way over HTTP that something blocks): not again at once.
        if (this.#link.current === upstream) this.#delay(entry, error);
        return;
      case 'timeout':
        this.#delay(entry, error);
        // The connection may be half-open: a new one tells.
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
          this.#imagesNotBefore = this.#store.host.clock.elapsed() + roundDelay(this.#imageRounds);
        }
        return;
      default:
        if (error.retryable && error.code !== 'hash-mismatch') this.#delay(entry, error);
        else await this.#hold(upstream, entry, error);
    }
  }

  async #hold(upstream: Upstream, { opId }: LedgerEntry, error: ReefError): Promise<void> {
    const { nodeId, storeEpoch } = upstream;
    await hold(this.#store, { opId, nodeId, storeEpoch }, error.toWire());
    await this.#ledger.follow();
  }

  #delay({ opId }: LedgerEntry, error: ReefError): void {
    const rounds = (this.delays.get(opId)?.rounds ?? 0) + 1;
    const asked = error.details['retryAfterMs'];
    const wait = Math.max(roundDelay(rounds), typeof asked === 'number' ? Math.min(asked, 60_000) : 0);
    this.delays.set(opId, { problem: error.toWire(), rounds, notBefore: this.#store.host.clock.elapsed() + wait });
  }

  #onLink(): void {
    // A new connection is a new chance for what waits.
    if (this.#link.state.get().status === 'connected') this.tryNow();
    else this.wake();
  }

  /** Waits until something changes (since `wakes` was read) or it is time. */
  #nextWake(wakes: number, until: number | null, signal: AbortSignal): Promise<void> {
    const { clock, timers } = this.#store.host;
    if (wakes !== this.#wakes) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const done = (): void => {
        cancel();
        stop();
        resolve();
      };
      const stop = this.#woken.on(done);
      if (until !== null) cancel = timers.after(Math.max(0, until - clock.elapsed()), done);
      if (signal.aborted) done();
    });
  }
}

function roundDelay(rounds: number): number {
  return Math.min(FIRST_ROUND_MS * 2 ** (rounds - 1), LIMITS.connectivityRetryMaxMs);
}

/** Whether the same again on the same connection can help. */
function canHelp(error: unknown): boolean {
  if (error instanceof BadReceipt) return true;
  if (error instanceof Stopped) return false;
  if (!(error instanceof ReefError)) return true;
  return error.retryable && !['disconnected', 'storage-full', 'hash-mismatch'].includes(error.code);
}

function onAbort(signal: AbortSignal, call: () => void): () => void {
  signal.addEventListener('abort', call);
  return () => signal.removeEventListener('abort', call);
}
