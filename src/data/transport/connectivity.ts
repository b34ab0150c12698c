import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import type { CloudRow, EdgeRow } from '../ops/database';
import type { StoreLife } from '../ops/ledger';
import type { PublicKey } from '../../protocol/receipt';
import type { Trace } from '../../protocol/trace';
import { EdgeHttp } from './edge-http';
import { Cell, sameFacts } from './signal';
import { checkTrace } from './trace';
import { jittered } from './waiting';

/** What is known of the way out, each fact by itself (house style, "Connectivity as facts"). */
export interface ConnectivityFacts {
  readonly browserOnline: boolean;
  /** The person's own choice to stay offline. */
  readonly offlineByChoice: boolean;
  /** Which server answers now with a nonce signed by a pinned key; `unknown` before the first check. */
  readonly answering: 'edge' | 'www' | 'none' | 'unknown';
  /** Something answered in its place without the right signature: a captive portal, or another box. */
  readonly impostor: boolean;
  /** True when an answer takes longer than 10 s. */
  readonly slow: boolean;
  /** ms since the epoch of the next check, where one is planned. */
  readonly nextCheckAt: number | null;
}

const FIRST_RETRY_MS = LIMITS.retryFirstDelayMs;

const NOTHING_KNOWN: ConnectivityFacts = {
  browserOnline: true,
  offlineByChoice: false,
  answering: 'unknown',
  impostor: false,
  slow: false,
  nextCheckAt: null,
};

/** The box that the sender talks to now (protocol: "the one upstream that connectivity names (edge, else www)"). */
export interface AnsweringEdge {
  readonly edge: EdgeRow;
}

/** The cloud, where this tablet knows its address: that, and the keys that its traces were pinned with. */
export interface Www {
  readonly origin: string;
  readonly traceKeys: readonly PublicKey[];
  /** Its row, where the tablet may send there. */
  readonly cloud?: CloudRow;
}

/** While the boxes are asked for longer than this the cloud is asked beside them: a box that is far away may keep silent for long. */
const EDGES_FIRST_MS = 4000;

/** What a server gave in answer to a nonce. */
type Answer =
  { readonly is: 'server'; readonly trace: Trace } | { readonly is: 'impostor' } | { readonly is: 'silent' };

/**
 * Finds out who answers: each paired box is asked for a trace over a fresh nonce, and counts only when a key pinned at
 * pairing signed it; where none does, the cloud is asked likewise. Facts stay apart: what the browser says, what a person chose, what answers, whether it is slow. While
 * nothing answers the next check comes after 1 s, doubling up to 30 s (1§9).
 */
export class Connectivity {
  readonly facts = new Cell<ConnectivityFacts>(NOTHING_KNOWN, sameFacts);
  readonly upstream = new Cell<AnsweringEdge | null>(null, sameFacts);
  /** The cloud, while it answers and no box does; null too where this tablet has no credential there. */
  readonly shore = new Cell<CloudRow | null>(null, sameFacts);
  #delay: number = FIRST_RETRY_MS;
  #cancelNext: (() => void) | undefined;
  #checking: Promise<ConnectivityFacts> | undefined;
  #stopNetwork: (() => void) | undefined;
  #closed = false;
  #again = false;

  readonly #host: TabletHost;
  readonly #edges: () => readonly EdgeRow[];
  readonly #connected: () => boolean;
  readonly #onNewStore: (edge: EdgeRow, storeEpoch: string) => Promise<void>;
  readonly #www: () => Www | undefined;
  readonly #onNewCloud: (cloud: CloudRow, storeEpoch: string) => Promise<CloudRow>;

  constructor(
    host: TabletHost,
    edges: () => readonly EdgeRow[],
    /** True while a verified connection stands: nobody needs to ask who answers. */
    connected: () => boolean,
    /** Called when a box signs that it began a new store: what the old one receipted is owed again. */
    onNewStore: (edge: EdgeRow, storeEpoch: string) => Promise<void>,
    www: () => Www | undefined = () => undefined,
    /** Called when the cloud signs that it began a new store. */
    onNewCloud: (cloud: CloudRow, storeEpoch: string) => Promise<CloudRow> = (cloud) => Promise.resolve(cloud),
  ) {
    this.#host = host;
    this.#edges = edges;
    this.#connected = connected;
    this.#onNewStore = onNewStore;
    this.#www = www;
    this.#onNewCloud = onNewCloud;
  }

  start(offlineByChoice: boolean): void {
    this.#set({ offlineByChoice, browserOnline: this.#host.network.online() });
    this.#stopNetwork = this.#host.network.onChange(() => {
      this.#set({ browserOnline: this.#host.network.online() });
      void this.check();
    });
    void this.check();
  }

  /** The box that counts now: the one that answers, else the one paired last. */
  present(): EdgeRow | undefined {
    const answering = this.upstream.get()?.edge.nodeId;
    const edges = this.#edges();
    return (
      edges.find(({ nodeId }) => nodeId === answering) ??
      [...edges].sort((a, b) => (a.pairedAt < b.pairedAt ? 1 : -1))[0]
    );
  }

  /** The store to which something is owed: the box that answers, else the cloud that does, else the one that counted last. */
  counts(): StoreLife | undefined {
    // Rows as they are now: a store may have begun anew since it answered.
    const ashore = this.upstream.get() === null && this.shore.get() !== null ? this.#sendingCloud() : undefined;
    return ashore ?? this.present() ?? this.#sendingCloud();
  }

  /** Which kind of store that is; a box while none is known. */
  countsTo(): 'box' | 'shore' {
    const life = this.counts();
    return life === undefined || this.#edges().some(({ nodeId }) => nodeId === life.nodeId) ? 'box' : 'shore';
  }

  #sendingCloud(): CloudRow | undefined {
    const cloud = this.#www()?.cloud;
    return cloud === undefined || cloud.credential === null ? undefined : cloud;
  }

  close(): void {
    this.#closed = true;
    this.#cancelNext?.();
    this.#stopNetwork?.();
  }

  stayOffline(offlineByChoice: boolean): Promise<ConnectivityFacts> {
    this.#set({ offlineByChoice });
    return this.check();
  }

  noteSlow(slow: boolean): void {
    this.#set({ slow });
  }

  /** Asks at once; a check under way is followed by another, as what it asks may have changed. */
  check(): Promise<ConnectivityFacts> {
    if (this.#checking !== undefined) {
      this.#again = true;
      return this.#checking;
    }
    this.#checking = this.#checkUntilSettled().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkUntilSettled(): Promise<ConnectivityFacts> {
    do {
      this.#again = false;
      await this.#checkOnce();
    } while (this.#again && !this.#closed);
    this.#planNext();
    return this.facts.get();
  }

  async #checkOnce(): Promise<void> {
    this.#cancelNext?.();
    if (this.facts.get().offlineByChoice) {
      this.#set({ answering: 'none', impostor: false, slow: false });
      this.upstream.set(null);
      this.shore.set(null);
      return;
    }
    const edges = this.#askEdges();
    const first = this.#edges().length === 0 ? await edges : await this.#within(EDGES_FIRST_MS, edges);
    if (first?.found === true) return;
    const www = await this.#askWww();
    if (first === undefined) {
      // Nothing keeps what is owed from going meanwhile, unless a box is connected already.
      if (www.cloud !== null && !this.#connected()) this.#name(www.cloud, www);
      if ((await edges).found) return;
    }
    this.upstream.set(null);
    this.#name(www.cloud, { ...www, impostor: www.impostor || (await edges).impostor });
  }

  #name(
    cloud: CloudRow | null,
    { answers, impostor }: { readonly answers: boolean; readonly impostor: boolean },
  ): void {
    this.#set({ answering: answers ? 'www' : 'none', impostor });
    this.shore.set(cloud === null || cloud.credential === null ? null : cloud);
  }

  async #askEdges(): Promise<{ readonly found: boolean; readonly impostor: boolean }> {
    let impostor = false;
    for (const edge of this.#edges()) {
      const answer = await this.#ask(edge, '/edge/trace');
      if (
        answer.is === 'server' &&
        answer.trace.network === 'edge' &&
        answer.trace.node === edge.nodeId &&
        (await this.#follow(edge, answer.trace))
      ) {
        this.#set({ answering: 'edge', impostor: false });
        this.upstream.set({ edge });
        this.shore.set(null);
        return { found: true, impostor: false };
      }
      impostor ||= answer.is !== 'silent';
    }
    return { found: false, impostor };
  }

  async #askWww(): Promise<{ readonly answers: boolean; readonly impostor: boolean; readonly cloud: CloudRow | null }> {
    const www = this.#www();
    const answer = www === undefined ? undefined : await this.#ask(www, '/trace');
    if (www === undefined || answer?.is !== 'server' || answer.trace.network !== 'www')
      return { answers: false, impostor: answer?.is === 'impostor', cloud: null };
    const { cloud } = www;
    if (cloud === undefined || cloud.nodeId !== answer.trace.node)
      return { answers: true, impostor: false, cloud: null };
    if (cloud.storeEpoch === answer.trace.storeEpoch) return { answers: true, impostor: false, cloud };
    try {
      return { answers: true, impostor: false, cloud: await this.#onNewCloud(cloud, answer.trace.storeEpoch) };
    } catch (error) {
      this.#host.log.note('warn', 'That the cloud began a new store could not be kept.', { error: String(error) });
      return { answers: true, impostor: false, cloud: null };
    }
  }

  /** What comes within `ms`, or undefined; what was begun goes on. */
  #within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const callOff = this.#host.timers.after(ms, () => resolve(undefined));
      work.finally(callOff).then(resolve, reject);
    });
  }

  /** Takes in that a box began a new store. False where that could not be kept: the next check does it. */
  async #follow(edge: EdgeRow, { storeEpoch }: Trace): Promise<boolean> {
    if (storeEpoch === edge.storeEpoch) return true;
    try {
      await this.#onNewStore(edge, storeEpoch);
      return true;
    } catch (error) {
      this.#host.log.note('warn', 'That the box began a new store could not be kept.', {
        edge: edge.name,
        error: String(error),
      });
      return false;
    }
  }

  async #ask({ origin, traceKeys }: Www, path: string): Promise<Answer> {
    const nonce = [...this.#host.randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const slow = this.#host.timers.after(LIMITS.slowConnectionMs, () => this.#set({ slow: true }));
    try {
      const text = await new EdgeHttp(this.#host, origin).trace(nonce, path, LIMITS.receiptTimeoutMs);
      this.#set({ slow: false });
      const trace = await checkTrace(this.#host, text, nonce, traceKeys);
      return trace === undefined ? { is: 'impostor' } : { is: 'server', trace };
    } catch (error) {
      this.#host.log.note('info', 'A server did not answer.', { origin, error: String(error) });
      return { is: 'silent' };
    } finally {
      slow();
    }
  }

  #planNext(): void {
    if (this.#closed) return;
    const { answering, offlineByChoice } = this.facts.get();
    if (offlineByChoice || (this.#edges().length === 0 && this.#www() === undefined)) {
      this.#set({ nextCheckAt: null });
      return;
    }
    this.#delay = answering === 'edge' ? LIMITS.connectivityRetryMaxMs : this.#delay;
    const wait = jittered(this.#delay, this.#host.randomBytes);
    this.#set({ nextCheckAt: this.#host.clock.now() + wait });
    this.#cancelNext = this.#host.timers.after(wait, () => {
      if (this.#connected()) this.#planNext();
      else void this.check();
    });
    this.#delay = answering === 'edge' ? FIRST_RETRY_MS : Math.min(this.#delay * 2, LIMITS.connectivityRetryMaxMs);
  }

  #set(change: Partial<ConnectivityFacts>): void {
    this.facts.set({ ...this.facts.get(), ...change });
  }
}
