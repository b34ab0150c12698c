import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import type { EdgeRow } from '../ops/database';
import type { ConnectivityFacts } from '../repositories/edge-repository';
import { EdgeHttp } from './edge-http';
import { Cell, sameFacts } from './signal';
import { checkTrace } from './trace';
import { jittered } from './waiting';

const FIRST_RETRY_MS = LIMITS.retryFirstDelayMs;

const NOTHING_KNOWN: ConnectivityFacts = { browserOnline: true, offlineByChoice: false, answering: 'unknown', impostor: false, slow: false, nextCheckAt: null };

/** The one server that the sender talks to now (protocol: "the one upstream that connectivity names (edge, else www)"). */
export interface Upstream {
  readonly edge: EdgeRow;
}

/**
 * Finds out who answers: each paired box is asked for a trace over a fresh nonce, and counts only when a key pinned at
 * pairing signed it. Facts stay apart: what the browser says, what a person chose, what answers, whether it is slow. While
 * nothing answers the next check comes after 1 s, doubling up to 30 s (1§9).
 */
export class Connectivity {
  readonly facts = new Cell<ConnectivityFacts>(NOTHING_KNOWN, sameFacts);
  readonly upstream = new Cell<Upstream | null>(null, (a, b) => sameFacts(a, b));
  private delay: number = FIRST_RETRY_MS;
  private cancelNext: (() => void) | undefined;
  private checking: Promise<ConnectivityFacts> | undefined;
  private stopNetwork: (() => void) | undefined;
  private closed = false;
  private again = false;

  constructor(
    private readonly host: TabletHost,
    private readonly edges: () => readonly EdgeRow[],
    /** True while a verified connection stands: nobody needs to ask who answers. */
    private readonly connected: () => boolean,
    /** Called when a box signs that it began a new store: what the old one receipted is owed again. */
    private readonly onNewStore: (edge: EdgeRow, storeEpoch: string) => Promise<void>,
  ) {}

  start(offlineByChoice: boolean): void {
    this.set({ offlineByChoice, browserOnline: this.host.network.online() });
    this.stopNetwork = this.host.network.onChange(() => {
      this.set({ browserOnline: this.host.network.online() });
      void this.check();
    });
    void this.check();
  }

  /** The box that counts now: the one that answers, else the one paired last. */
  present(): EdgeRow | undefined {
    const answering = this.upstream.get()?.edge.nodeId;
    const edges = this.edges();
    return edges.find(({ nodeId }) => nodeId === answering) ?? [...edges].sort((a, b) => (a.pairedAt < b.pairedAt ? 1 : -1))[0];
  }

  close(): void {
    this.closed = true;
    this.cancelNext?.();
    this.stopNetwork?.();
  }

  stayOffline(offlineByChoice: boolean): Promise<ConnectivityFacts> {
    this.set({ offlineByChoice });
    return this.check();
  }

  noteSlow(slow: boolean): void {
    this.set({ slow });
  }

  /** Asks at once; a check under way is followed by another, as what it asks may have changed. */
  check(): Promise<ConnectivityFacts> {
    if (this.checking !== undefined) {
      this.again = true;
      return this.checking;
    }
    this.checking = this.checkUntilSettled().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async checkUntilSettled(): Promise<ConnectivityFacts> {
    do {
      this.again = false;
      await this.checkOnce();
    } while (this.again && !this.closed);
    this.planNext();
    return this.facts.get();
  }

  private async checkOnce(): Promise<void> {
    this.cancelNext?.();
    if (this.facts.get().offlineByChoice) {
      this.set({ answering: 'none', impostor: false, slow: false });
      this.upstream.set(null);
      return;
    }
    let impostor = false;
    for (const edge of this.edges()) {
      const answer = await this.ask(edge);
      if (answer === 'box') {
        this.set({ answering: 'edge', impostor: false });
        this.upstream.set({ edge });
        return;
      }
      impostor ||= answer === 'impostor';
    }
    this.set({ answering: 'none', impostor });
    this.upstream.set(null);
  }

  private async ask(edge: EdgeRow): Promise<'box' | 'impostor' | 'silent'> {
    const nonce = [...this.host.randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const slow = this.host.timers.after(LIMITS.slowConnectionMs, () => this.set({ slow: true }));
    try {
      const text = await new EdgeHttp(this.host, edge.origin).trace(nonce, '/edge/trace', LIMITS.receiptTimeoutMs);
      this.set({ slow: false });
      const trace = await checkTrace(this.host, text, nonce, edge.traceKeys);
      if (trace?.network !== 'edge' || trace.node !== edge.nodeId) return 'impostor';
      if (trace.storeEpoch !== edge.storeEpoch) await this.onNewStore(edge, trace.storeEpoch);
      return 'box';
    } catch (error) {
      this.host.log.note('info', 'A box did not answer.', { edge: edge.name, error: String(error) });
      return 'silent';
    } finally {
      slow();
    }
  }

  private planNext(): void {
    if (this.closed) return;
    const { answering, offlineByChoice } = this.facts.get();
    if (offlineByChoice || this.edges().length === 0) {
      this.set({ nextCheckAt: null });
      return;
    }
    this.delay = answering === 'edge' ? LIMITS.connectivityRetryMaxMs : this.delay;
    const wait = jittered(this.delay, this.host.randomBytes);
    this.set({ nextCheckAt: this.host.clock.now() + wait });
    this.cancelNext = this.host.timers.after(wait, () => {
      if (this.connected()) this.planNext();
      else void this.check();
    });
    this.delay = answering === 'edge' ? FIRST_RETRY_MS : Math.min(this.delay * 2, LIMITS.connectivityRetryMaxMs);
  }

  private set(change: Partial<ConnectivityFacts>): void {
    this.facts.set({ ...this.facts.get(), ...change });
  }
}
