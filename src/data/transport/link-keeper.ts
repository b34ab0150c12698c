import type { WireError } from '../../domain/errors';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import type { EdgeUpdate } from '../../protocol/edge-socket';
import { Emitter } from '../../base/emitter';
import { ObservableValue, isJsonEqual } from '../../base/observable';
import { withJitter, sleep } from './timing';
import type { Upstream, UpstreamLink } from './upstream';

export type LinkState =
  | { readonly status: 'idle' }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'connected'; readonly nodeId: string }
  | { readonly status: 'refused'; readonly why: WireError };

/** Refusals that a retry does not change: a person must pair or sign in again, or update. */
const REFUSAL_CODES: readonly string[] = [
  'pairing-required',
  'pairing-wrong',
  'unsupported-version',
  'forbidden',
  'receipt-mismatch',
  'bad-message',
];

/** Transport of a connection while it is being made and used. */
export interface LinkTransport {
  readonly connected: boolean;
  readonly lost: Emitter<void>;
  readonly close: () => void;
}

/** Connects to one kind of store. */
interface LinkConnector<Target, Way extends LinkTransport, Connection> {
  /** Store that connectivity names now; null: none of this kind. */
  readonly target: () => Target | null;
  readonly targetId: (target: Target) => string;
  readonly createTransport: (target: Target) => Way;
  /** Identifies this tablet to the store. @throws ReefError from the store */
  readonly connect: (carrier: Way, target: Target) => Promise<Connection>;
  /** Checks again which server answers. */
  readonly check: () => Promise<unknown>;
  readonly refusals?: readonly string[];
}

/**
 * Keeps one connection while someone holds it (1§4: "closes when no listeners remain"). A lost one is made again after
 * 5 s × the attempt, at most 25 s (1§9).
 */
export class LinkKeeper<Target, Way extends LinkTransport, Connection extends Upstream> implements UpstreamLink {
  readonly state = new ObservableValue<LinkState>({ status: 'idle' }, isJsonEqual);
  readonly updates = new Emitter<EdgeUpdate>();
  readonly #wakeSignal = new Emitter<void>();
  #active: { readonly connection: Connection; readonly transport: Way; readonly nodeId: string } | undefined;
  /** Transport of the active or pending connection. */
  #transport: Way | undefined;
  #holders = 0;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  /** Set when the next try should not wait. */
  #retryImmediately = false;

  readonly #host: Pick<TabletHost, 'timers' | 'randomBytes' | 'log'>;
  readonly #connector: LinkConnector<Target, Way, Connection>;

  constructor(
    host: Pick<TabletHost, 'timers' | 'randomBytes' | 'log'>,
    connector: LinkConnector<Target, Way, Connection>,
  ) {
    this.#host = host;
    this.#connector = connector;
  }

  get current(): Connection | undefined {
    return this.#active?.transport.connected === true ? this.#active.connection : undefined;
  }

  /** Holds the connection open until the returned function is called. */
  acquire(): () => void {
    this.#holders += 1;
    this.#wakeSignal.emit();
    this.#start();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      this.#wakeSignal.emit();
    };
  }

  retryNow(): void {
    this.#retryImmediately = true;
    this.#wakeSignal.emit();
  }

  /** Reconnects if another store answers now: operations are owed to that one. */
  targetChanged(): void {
    const target = this.#connector.target();
    if (target !== null && this.#active !== undefined && this.#active.nodeId !== this.#connector.targetId(target))
      this.drop();
    this.retryNow();
  }

  drop(): void {
    this.#transport?.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wakeSignal.emit();
    this.drop();
    await this.#running;
  }

  /** Keeps a connection until no one holds it; a holder that arrives while it is closing gets the next one. */
  #start(): void {
    this.#running ??= this.#maintain()
      .catch(async (error: unknown) => {
        this.#host.log.note('error', 'Maintaining the connection failed; restarting it.', { error: String(error) });
        this.#retryImmediately = false;
        await this.#pause(LIMITS.reconnectDelayMs);
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#isWanted()) this.#start();
      });
  }

  async #maintain(): Promise<void> {
    const connector = this.#connector;
    let attempt = 1;
    while (this.#isWanted()) {
      this.#retryImmediately = false;
      const target = connector.target();
      if (target === null) {
        this.state.set({ status: 'idle' });
        await this.#nextWake();
        continue;
      }
      if (this.state.get().status !== 'refused') this.state.set({ status: 'connecting', attempt });
      const transport = connector.createTransport(target);
      this.#transport = transport;
      try {
        const connection = await connector.connect(transport, target);
        // Dropped during the last steps; announced as connected, it would use up the retry that the caller asked for.
        if (!transport.connected) throw new ReefError('disconnected');
        // By now the person may have chosen to stay offline, or the target may have changed.
        const nodeId = connector.targetId(target);
        const now = connector.target();
        if (now === null || connector.targetId(now) !== nodeId) continue;
        this.#active = { connection, transport, nodeId };
        attempt = 1;
        this.#retryImmediately = false;
        this.state.set({ status: 'connected', nodeId });
        await this.#untilLost(transport);
      } catch (error) {
        this.#handleFailure(error);
      } finally {
        this.#active = undefined;
        this.#transport = undefined;
        transport.close();
      }
      if (!this.#isWanted()) break;
      if (this.state.get().status === 'connected') this.state.set({ status: 'connecting', attempt });
      await this.#pause(Math.min(LIMITS.reconnectDelayMs * attempt, LIMITS.reconnectDelayMaxMs));
      attempt += 1;
      await connector.check();
    }
    this.state.set({ status: 'idle' });
  }

  #isWanted(): boolean {
    return this.#holders > 0 && !this.#closing.signal.aborted;
  }

  #handleFailure(error: unknown): void {
    const { log } = this.#host;
    if (
      error instanceof ReefError &&
      (REFUSAL_CODES.includes(error.code) || this.#connector.refusals?.includes(error.code) === true)
    ) {
      log.note('warn', 'The store refused this tablet.', { code: error.code });
      this.state.set({ status: 'refused', why: error.toWire() });
      return;
    }
    log.note('info', 'Connection failed; retrying.', { error: String(error) });
  }

  #untilLost(transport: Way): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop.forEach((end) => end());
        resolve();
      };
      const stop = [
        transport.lost.subscribe(done),
        this.#wakeSignal.subscribe(() => {
          // One screen closes and the next opens in the same turn: the connection serves both.
          if (!this.#isWanted()) queueMicrotask(() => (this.#isWanted() ? undefined : done()));
        }),
      ];
      if (!transport.connected || !this.#isWanted()) done();
    });
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#wakeSignal.subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  async #pause(ms: number): Promise<void> {
    const { timers, randomBytes } = this.#host;
    if (this.#retryImmediately) return;
    const early = new AbortController();
    const stop = this.#wakeSignal.subscribe(() => {
      if (this.#retryImmediately || !this.#isWanted()) early.abort();
    });
    await sleep(timers, withJitter(ms, randomBytes), early.signal);
    stop();
  }
}
