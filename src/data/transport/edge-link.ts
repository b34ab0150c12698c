import { ReefError } from '../../domain/errors';
import type { WireError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { EdgeLimits, EdgeReplies, EdgeUpdate } from '../../protocol/edge-socket';
import type { PublicKey } from '../../protocol/receipt';
import type { EdgeRow } from '../ops/database';
import type { OpsStore } from '../ops/ops-store';
import type { Connectivity } from './connectivity';
import { EdgeHttp } from './edge-http';
import { EdgeSocket } from './edge-socket';
import { Cell, Signal, sameFacts } from './signal';
import type { TabletName } from './verify';
import { mergedKeys, verifyOn } from './verify';
import { jittered, sleep } from './waiting';

/** A connection on which the box knows this tablet. */
export interface Verified {
  readonly edge: EdgeRow;
  readonly socket: EdgeSocket;
  readonly http: EdgeHttp;
  readonly limits: EdgeLimits;
  readonly overHttp: boolean;
}

export type LinkState =
  | { readonly status: 'idle' }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'connected'; readonly nodeId: string }
  | { readonly status: 'refused'; readonly why: WireError };

/** Refusals that another try in a moment does not change: a person has to pair again or to update. */
const REFUSALS: readonly string[] = ['pairing-required', 'pairing-wrong', 'unsupported-version', 'forbidden', 'receipt-mismatch', 'bad-message'];

/**
 * Keeps one verified connection to the box that connectivity names, as long as somebody holds it: the sender while
 * something is owed, a screen while it listens (1§4: "closes when no listeners remain"). A connection that ends is made
 * again after 5 s × the attempt, at most 25 s (1§9).
 */
export class EdgeLinkKeeper {
  readonly state = new Cell<LinkState>({ status: 'idle' }, sameFacts);
  readonly updates = new Signal<EdgeUpdate>();
  private readonly woken = new Signal<void>();
  private verified: Verified | undefined;
  /** The connection that stands or comes about. */
  private socket: EdgeSocket | undefined;
  private holders = 0;
  private running: Promise<void> | undefined;
  private readonly closing = new AbortController();
  /** Set when waiting for the next try is no longer right. */
  private hurry = false;

  constructor(
    private readonly store: OpsStore,
    private readonly connectivity: Connectivity,
    private readonly self: TabletName,
  ) {
    connectivity.upstream.subscribe((upstream) => {
      // Another box answers now: what is owed is owed to that one.
      if (upstream !== null && this.verified !== undefined && this.verified.edge.nodeId !== upstream.edge.nodeId) this.drop();
      this.retryNow();
    });
  }

  get current(): Verified | undefined {
    return this.verified?.socket.connected === true ? this.verified : undefined;
  }

  /** Holds the connection open until the function given back is called. */
  acquire(): () => void {
    this.holders += 1;
    this.woken.emit();
    this.begin();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.holders -= 1;
      this.woken.emit();
    };
  }

  /** Connects at once instead of waiting; after a pairing, or when a person asks. */
  retryNow(): void {
    this.hurry = true;
    this.woken.emit();
  }

  /** Ends this connection; the next one follows by itself while somebody holds it. */
  drop(): void {
    this.socket?.close();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.woken.emit();
    this.drop();
    await this.running;
  }

  /** Keeps a connection until nobody holds it; whoever came while the last one was being let go gets the next. */
  private begin(): void {
    this.running ??= this.keep()
      .catch(async (error: unknown) => {
        this.store.host.log.note('error', 'Keeping the connection failed; it is begun again.', { error: String(error) });
        this.hurry = false;
        await this.pause(LIMITS.reconnectDelayMs);
      })
      .finally(() => {
        this.running = undefined;
        if (this.wanted()) this.begin();
      });
  }

  private async keep(): Promise<void> {
    const { host } = this.store;
    let attempt = 1;
    while (this.wanted()) {
      this.hurry = false;
      const upstream = this.connectivity.upstream.get();
      if (upstream === null) {
        this.state.set({ status: 'idle' });
        await this.nextWake();
        continue;
      }
      if (this.state.get().status !== 'refused') this.state.set({ status: 'connecting', attempt });
      const socket = new EdgeSocket(host, upstream.edge.origin);
      this.socket = socket;
      try {
        const verified = await this.open(socket, upstream.edge);
        // Meanwhile the person may have chosen to stay offline, or another box counts.
        if (this.connectivity.upstream.get()?.edge.nodeId !== upstream.edge.nodeId) continue;
        this.verified = verified;
        attempt = 1;
        this.hurry = false;
        this.state.set({ status: 'connected', nodeId: verified.edge.nodeId });
        await this.untilLost(socket);
      } catch (error) {
        this.noteFailure(error);
      } finally {
        this.verified = undefined;
        this.socket = undefined;
        socket.close();
      }
      if (!this.wanted()) break;
      if (this.state.get().status === 'connected') this.state.set({ status: 'connecting', attempt });
      await this.pause(Math.min(LIMITS.reconnectDelayMs * attempt, LIMITS.reconnectDelayMaxMs));
      attempt += 1;
      await this.connectivity.check();
    }
    this.state.set({ status: 'idle' });
  }

  private wanted(): boolean {
    return this.holders > 0 && !this.closing.signal.aborted;
  }

  private async open(socket: EdgeSocket, edge: EdgeRow): Promise<Verified> {
    await socket.connect();
    socket.slow.on((slow) => this.connectivity.noteSlow(slow));
    socket.updates.on((update) => this.updates.emit(update));
    const reply = await this.verify(socket, edge);
    const known = await this.remember(edge, reply);
    return { edge: known, socket, http: new EdgeHttp(this.store.host, edge.origin), limits: reply.limits, overHttp: reply.binary.includes('http') };
  }

  /** A session that the box does not know any more is left; a paired tablet gets a new one without it. */
  private async verify(socket: EdgeSocket, edge: EdgeRow): Promise<EdgeReplies['verify']> {
    try {
      return await verifyOn(socket, this.store, this.self, { session: edge.session });
    } catch (error) {
      if (!(error instanceof ReefError) || error.code !== 'unauthorised') throw error;
      return verifyOn(socket, this.store, this.self);
    }
  }

  /**
   * @throws ReefError `receipt-mismatch` when the box shows another key than the one pinned at pairing; `disconnected` when
   *   it was forgotten meanwhile
   */
  private async remember(edge: EdgeRow, reply: EdgeReplies['verify']): Promise<EdgeRow> {
    if (reply.edge.id !== edge.nodeId || !edge.receiptKeys.some((pinned) => sameKey(pinned, reply.publicKey))) {
      throw new ReefError('receipt-mismatch', { field: 'publicKey', message: 'This box shows another key than the one this tablet was paired with. Pair again if the box was replaced.' });
    }
    const { db } = this.store;
    return this.store.run(() =>
      db.transaction('rw', [db.edges, db.cursors], async () => {
        // As it is now: while this connection came about it may have been paired again, signed in to, or forgotten.
        const now = await db.edges.get(edge.nodeId);
        if (now === undefined) throw new ReefError('disconnected', { message: 'This box was forgotten.' });
        const cloudKeys = mergedKeys(now.cloudKeys, reply.cloudKeys ?? []);
        const session = now.session === edge.session ? reply.session : now.session;
        const next: EdgeRow = { ...now, name: reply.edge.name, storeEpoch: reply.edge.storeEpoch, session, cloudKeys };
        await db.edges.put(next);
        // Cloud receipts that came before their key was known are read again.
        if (cloudKeys.length !== now.cloudKeys.length) await db.cursors.delete(edge.nodeId);
        return { ...next, session: reply.session };
      }),
    );
  }

  private noteFailure(error: unknown): void {
    const { log } = this.store.host;
    if (error instanceof ReefError && REFUSALS.includes(error.code)) {
      log.note('warn', 'The box refused this tablet.', { code: error.code });
      this.state.set({ status: 'refused', why: error.toWire() });
      return;
    }
    log.note('info', 'The connection to the box did not come about.', { error: String(error) });
  }

  private untilLost(socket: EdgeSocket): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop.forEach((end) => end());
        resolve();
      };
      const stop = [
        socket.lost.on(done),
        this.woken.on(() => {
          if (!this.wanted()) done();
        }),
      ];
      if (!socket.connected || !this.wanted()) done();
    });
  }

  private nextWake(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.woken.on(() => {
        stop();
        resolve();
      });
    });
  }

  private async pause(ms: number): Promise<void> {
    const { host } = this.store;
    if (this.hurry) return;
    const early = new AbortController();
    const stop = this.woken.on(() => {
      if (this.hurry || !this.wanted()) early.abort();
    });
    await sleep(host.timers, jittered(ms, host.randomBytes), early.signal);
    stop();
  }
}

function sameKey(a: PublicKey, b: PublicKey): boolean {
  return a.kid === b.kid && a.x === b.x;
}
