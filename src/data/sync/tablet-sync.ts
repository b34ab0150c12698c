import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { StoreRef } from '../ops/database';
import type { OpIndex } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import type { Upstream, UpstreamLink } from '../transport/upstream';
import { Emitter } from '../../base/emitter';
import { ObservableValue } from '../../base/observable';
import { sleep } from '../transport/timing';
import { Puller } from './puller';
import { Sender } from './sending/sender';
import { SharedProgress } from './sending/shared-progress';

/** Failures that only a new connection resolves: half-open, verified with an older epoch, or no longer verified. */
const RECONNECT_CODES: readonly string[] = ['disconnected', 'timeout', 'unauthorised'];

/**
 * Sending and pulling, in the one tab that holds the lock (protocol, "Client behaviour": "one tab sends (Web Lock)").
 */
export class TabletSync {
  /** `elsewhere`: another tab sends. */
  readonly sendingTab = new ObservableValue<'here' | 'elsewhere'>('elsewhere');
  /** Sending mode chosen by a person; it survives a restart. */
  readonly sendingMode = new ObservableValue<'on' | 'paused' | 'stopped'>('on');
  readonly sender: Sender;
  readonly puller: Puller;
  readonly progress: SharedProgress;
  readonly #stopping = new AbortController();
  readonly #retainChanged = new Emitter<void>();
  #retainCount = 0;
  #running: Promise<void> | undefined;

  readonly #store: OpsStore;
  readonly #link: UpstreamLink;
  readonly #lockName: string;

  constructor(
    store: OpsStore,
    opIndex: OpIndex,
    link: UpstreamLink,
    targetStore: () => StoreRef | undefined,
    lockName: string,
  ) {
    this.#store = store;
    this.#link = link;
    this.#lockName = lockName;
    this.sender = new Sender(store, opIndex, link, targetStore, (upstream) => this.puller.pull(upstream));
    this.puller = new Puller(store, opIndex, this.sender.offered);
    this.progress = new SharedProgress(store.host, this.sender, this.sendingTab, lockName);
  }

  /** Waits for the lock, then works until `close`. */
  start(): void {
    const { signal } = this.#stopping;
    const stopWatching = this.#store.watch(
      () => this.#store.db.meta.get('sending'),
      (row) => this.#applySendingMode(row?.value),
    );
    this.#running = this.#runUnderLock(signal).finally(stopWatching);
  }

  #applySendingMode(mode: unknown): void {
    this.sendingMode.set(mode === 'paused' || mode === 'stopped' ? mode : 'on');
    this.sender.setPaused(this.sendingMode.get() !== 'on');
  }

  /** Restarts after any failure: a tablet that silently stops sending would be noticed only ashore. */
  async #runUnderLock(signal: AbortSignal): Promise<void> {
    const { locks, log, timers } = this.#store.host;
    while (!signal.aborted) {
      try {
        await locks.hold(this.#lockName, signal, () => this.#runSync(signal));
      } catch (error) {
        if (signal.aborted) return;
        log.note('error', 'Sending failed; restarting it.', { error: String(error) });
        await sleep(timers, LIMITS.reconnectDelayMs, signal);
      } finally {
        this.sendingTab.set('elsewhere');
      }
    }
  }

  async #runSync(signal: AbortSignal): Promise<void> {
    this.#applySendingMode(await this.#store.getMeta('sending'));
    this.sendingTab.set('here');
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    // If one of the two ends, the other ends too, and both restart.
    const parts = [this.sender.run(ending.signal), this.#followFeed(ending.signal)];
    await Promise.all(parts.map((part) => part.finally(end))).finally(() => signal.removeEventListener('abort', end));
  }

  /**
   * Retains the feed: while someone views other people's records, the connection stays open and the feed is followed.
   */
  retain(): () => void {
    this.#retainCount += 1;
    this.#retainChanged.emit();
    return () => {
      this.#retainCount -= 1;
      this.#retainChanged.emit();
    };
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the tablet is closed'));
    await this.#running;
    this.progress.close();
  }

  async #followFeed(signal: AbortSignal): Promise<void> {
    let release: (() => void) | undefined;
    const refresh = (): void => {
      if (this.#retainCount > 0) release ??= this.#link.acquire();
      else {
        release?.();
        release = undefined;
      }
    };
    const { log, timers } = this.#store.host;
    const pull = (upstream: Upstream | undefined, subscribe: boolean): void => {
      if (upstream === undefined || upstream.hasEnded || this.#link.current !== upstream) return;
      this.puller.pull(upstream, subscribe).catch((error: unknown) => {
        log.note('info', 'The feed could not be read.', { error: String(error) });
        if (signal.aborted || this.#link.current !== upstream) return;
        if (error instanceof ReefError && RECONNECT_CODES.includes(error.code)) this.#link.drop();
        // Without a retry this connection would receive nothing: the hints may never have been requested.
        else timers.after(LIMITS.connectivityRetryMaxMs, () => pull(upstream, true));
      });
    };
    const stops = [
      this.#retainChanged.subscribe(refresh),
      this.#link.state.subscribe(({ status }) => {
        if (status === 'connected') pull(this.#link.current, true);
      }),
      this.#link.updates.subscribe(({ name }) => {
        if (name === 'changes') pull(this.#link.current, false);
      }),
    ];
    refresh();
    pull(this.#link.current, true);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    stops.forEach((stop) => stop());
    release?.();
  }
}
