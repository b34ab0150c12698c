import type { Ledger, StoreLife } from '../ops/ledger';
import type { OpsStore } from '../ops/ops-store';
import type { EdgeLinkKeeper } from '../transport/edge-link';
import { Cell, Signal } from '../transport/signal';
import { Puller } from './puller';
import { Sender } from './sender';

/** Sending and pulling, in the one tab that holds the lock (protocol, "Client behaviour": "one tab sends (Web Lock)"). */
export class TabletSync {
  /** `elsewhere`: another tab does it. */
  readonly place = new Cell<'here' | 'elsewhere'>('elsewhere');
  readonly sender: Sender;
  readonly puller: Puller;
  private readonly stopping = new AbortController();
  private readonly attention = new Signal<void>();
  private listeners = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: OpsStore,
    ledger: Ledger,
    private readonly link: EdgeLinkKeeper,
    present: () => StoreLife | undefined,
    private readonly lockName: string,
  ) {
    this.puller = new Puller(store);
    this.sender = new Sender(store, ledger, link, present, (verified) => this.puller.pull(verified));
  }

  /** Waits for the lock, then works until `close`. */
  start(): void {
    const { signal } = this.stopping;
    const stopWatching = this.store.watch(
      () => this.store.db.meta.get('sending'),
      (row) => this.sender.setPaused(row?.value === 'paused'),
    );
    this.running = this.store.host.locks
      .hold(this.lockName, signal, async () => {
        this.sender.setPaused((await this.store.fact('sending')) === 'paused');
        this.place.set('here');
        await Promise.all([this.sender.run(signal), this.followFeed(signal)]);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) this.store.host.log.note('error', 'Sending stopped.', { error: String(error) });
      })
      .finally(() => {
        this.place.set('elsewhere');
        stopWatching();
      });
  }

  /** Says that somebody looks at what other people write: the connection stays open and the feed is followed. */
  attend(): () => void {
    this.listeners += 1;
    this.attention.emit();
    return () => {
      this.listeners -= 1;
      this.attention.emit();
    };
  }

  async close(): Promise<void> {
    this.stopping.abort(new Error('the tablet is closed'));
    await this.running;
  }

  private async followFeed(signal: AbortSignal): Promise<void> {
    let release: (() => void) | undefined;
    const look = (): void => {
      if (this.listeners > 0) release ??= this.link.acquire();
      else {
        release?.();
        release = undefined;
      }
    };
    const pull = (subscribe: boolean): void => {
      const verified = this.link.current;
      if (verified === undefined) return;
      this.puller.pull(verified, subscribe).catch((error: unknown) => {
        this.store.host.log.note('info', 'The feed could not be read now.', { error: String(error) });
        if (error instanceof Error && 'code' in error && error.code === 'disconnected') this.link.drop();
      });
    };
    const stops = [
      this.attention.on(look),
      this.link.state.subscribe(({ status }) => {
        if (status === 'connected') pull(true);
      }),
      this.link.updates.on(({ name }) => {
        if (name === 'changes') pull(false);
      }),
    ];
    look();
    if (this.link.current !== undefined) pull(true);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    stops.forEach((stop) => stop());
    release?.();
  }
}
