import type { WireError } from '../../domain/errors';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import { Cell, Signal, sameFacts } from './signal';
import { jittered, sleep } from './waiting';

export type LinkState =
  | { readonly status: 'idle' }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'connected'; readonly nodeId: string }
  | { readonly status: 'refused'; readonly why: WireError };

/** Refusals that another try in a moment does not change: a person has to pair or sign in again, or to update. */
const REFUSALS: readonly string[] = [
  'pairing-required',
  'pairing-wrong',
  'unsupported-version',
  'forbidden',
  'receipt-mismatch',
  'bad-message',
];

/** What carries a connection while it comes about and while it stands. */
export interface Carrier {
  readonly connected: boolean;
  /** Called once for each connection that ended. */
  readonly lost: Signal<void>;
  readonly close: () => void;
}

/** How connections to one kind of store come about. */
export interface Opening<Target, Way extends Carrier, Connection> {
  /** The store that connectivity names now; null: none of this kind. */
  readonly target: () => Target | null;
  readonly nodeId: (target: Target) => string;
  readonly carrier: (target: Target) => Way;
  /** Makes the store know this tablet. @throws ReefError as it answers */
  readonly open: (carrier: Way, target: Target) => Promise<Connection>;
  /** Finds out anew who answers. */
  readonly check: () => Promise<unknown>;
  /** Codes that count as refusals here besides the common ones. */
  readonly refusals?: readonly string[];
}

/**
 * Keeps one connection as long as somebody holds it: the sender while something is owed, a screen while it listens (1§4:
 * "closes when no listeners remain"). A connection that ends is made again after 5 s × the attempt, at most 25 s (1§9).
 */
export class LinkKeeper<Target, Way extends Carrier, Connection> {
  readonly state = new Cell<LinkState>({ status: 'idle' }, sameFacts);
  readonly #woken = new Signal<void>();
  #standing: { readonly connection: Connection; readonly carrier: Way; readonly nodeId: string } | undefined;
  /** The connection that stands or comes about. */
  #carrier: Way | undefined;
  #holders = 0;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  /** Set when waiting for the next try is no longer right. */
  #hurry = false;

  readonly #host: Pick<TabletHost, 'timers' | 'randomBytes' | 'log'>;
  readonly #opening: Opening<Target, Way, Connection>;

  constructor(host: Pick<TabletHost, 'timers' | 'randomBytes' | 'log'>, opening: Opening<Target, Way, Connection>) {
    this.#host = host;
    this.#opening = opening;
  }

  get current(): Connection | undefined {
    return this.#standing?.carrier.connected === true ? this.#standing.connection : undefined;
  }

  /** Holds the connection open until the function given back is called. */
  acquire(): () => void {
    this.#holders += 1;
    this.#woken.emit();
    this.#begin();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      this.#woken.emit();
    };
  }

  /** Connects at once instead of waiting; after a pairing, or when a person asks. */
  retryNow(): void {
    this.#hurry = true;
    this.#woken.emit();
  }

  /** Another store may answer now: what is owed is owed to that one. */
  targetChanged(): void {
    const target = this.#opening.target();
    if (target !== null && this.#standing !== undefined && this.#standing.nodeId !== this.#opening.nodeId(target))
      this.drop();
    this.retryNow();
  }

  /** Ends this connection; the next one follows by itself while somebody holds it. */
  drop(): void {
    this.#carrier?.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#woken.emit();
    this.drop();
    await this.#running;
  }

  /** Keeps a connection until nobody holds it; whoever came while the last one was being let go gets the next. */
  #begin(): void {
    this.#running ??= this.#keep()
      .catch(async (error: unknown) => {
        this.#host.log.note('error', 'Keeping the connection failed; it is begun again.', { error: String(error) });
        this.#hurry = false;
        await this.#pause(LIMITS.reconnectDelayMs);
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#wanted()) this.#begin();
      });
  }

  async #keep(): Promise<void> {
    const opening = this.#opening;
    let attempt = 1;
    while (this.#wanted()) {
      this.#hurry = false;
      const target = opening.target();
      if (target === null) {
        this.state.set({ status: 'idle' });
        await this.#nextWake();
        continue;
      }
      if (this.state.get().status !== 'refused') this.state.set({ status: 'connecting', attempt });
      const carrier = opening.carrier(target);
      this.#carrier = carrier;
      try {
        const connection = await opening.open(carrier, target);
        // Meanwhile the person may have chosen to stay offline, or another store counts.
        const nodeId = opening.nodeId(target);
        const now = opening.target();
        if (now === null || opening.nodeId(now) !== nodeId) continue;
        this.#standing = { connection, carrier, nodeId };
        attempt = 1;
        this.#hurry = false;
        this.state.set({ status: 'connected', nodeId });
        await this.#untilLost(carrier);
      } catch (error) {
        this.#noteFailure(error);
      } finally {
        this.#standing = undefined;
        this.#carrier = undefined;
        carrier.close();
      }
      if (!this.#wanted()) break;
      if (this.state.get().status === 'connected') this.state.set({ status: 'connecting', attempt });
      await this.#pause(Math.min(LIMITS.reconnectDelayMs * attempt, LIMITS.reconnectDelayMaxMs));
      attempt += 1;
      await opening.check();
    }
    this.state.set({ status: 'idle' });
  }

  #wanted(): boolean {
    return this.#holders > 0 && !this.#closing.signal.aborted;
  }

  #noteFailure(error: unknown): void {
    const { log } = this.#host;
    if (
      error instanceof ReefError &&
      (REFUSALS.includes(error.code) || this.#opening.refusals?.includes(error.code) === true)
    ) {
      log.note('warn', 'The store refused this tablet.', { code: error.code });
      this.state.set({ status: 'refused', why: error.toWire() });
      return;
    }
    log.note('info', 'The connection did not come about.', { error: String(error) });
  }

  #untilLost(carrier: Way): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop.forEach((end) => end());
        resolve();
      };
      const stop = [
        carrier.lost.on(done),
        this.#woken.on(() => {
          // One screen goes and the next comes in the same turn: the connection is for both.
          if (!this.#wanted()) queueMicrotask(() => (this.#wanted() ? undefined : done()));
        }),
      ];
      if (!carrier.connected || !this.#wanted()) done();
    });
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#woken.on(() => {
        stop();
        resolve();
      });
    });
  }

  async #pause(ms: number): Promise<void> {
    const { timers, randomBytes } = this.#host;
    if (this.#hurry) return;
    const early = new AbortController();
    const stop = this.#woken.on(() => {
      if (this.#hurry || !this.#wanted()) early.abort();
    });
    await sleep(timers, jittered(ms, randomBytes), early.signal);
    stop();
  }
}
