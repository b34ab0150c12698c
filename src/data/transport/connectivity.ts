import { Backoff } from '../../base/backoff';
import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import type { CloudRow, EdgeRow, StoreRef } from '../ops/database';
import type { PublicKey } from '../../protocol/receipt';
import type { NodeTrace } from '../../protocol/node-trace';
import { EdgeHttp } from './edge/edge-http';
import { ObservableValue, isJsonEqual } from '../../base/observable';
import { fetchVerifiedTrace } from './verify-node-trace';
import { withJitter } from './timing';

/** Facts about the network, each independent (house style, "Connectivity as facts"). */
export interface ConnectivityFacts {
  readonly browserOnline: boolean;
  readonly offlineByChoice: boolean;
  /** Server that answers now with a nonce signed by a pinned key; `unknown` before the first check. */
  readonly answering: 'edge' | 'www' | 'none' | 'unknown';
  /** True if something else answered without the right signature: a captive portal, or another box. */
  readonly impostor: boolean;
  readonly slow: boolean;
  /** ms since the epoch of the next check, if scheduled. */
  readonly nextCheckAt: number | null;
}

const INITIAL_FACTS: ConnectivityFacts = {
  browserOnline: true,
  offlineByChoice: false,
  answering: 'unknown',
  impostor: false,
  slow: false,
  nextCheckAt: null,
};

/** Box that the sender uses now (protocol: "the one upstream that connectivity names (edge, else www)"). */
interface AnsweringEdge {
  readonly edge: EdgeRow;
}

/** Address of the cloud, if known, and the pinned keys of its traces. */
export interface CloudEndpoint {
  readonly origin: string;
  readonly traceKeys: readonly PublicKey[];
  /** Row of the cloud, if the tablet may send there. */
  readonly cloud?: CloudRow;
}

/** Time after which the cloud is probed in parallel with the boxes: a distant box may stay silent for long. */
const EDGES_FIRST_MS = 4000;

type TraceAnswer =
  { readonly kind: 'server'; readonly trace: NodeTrace } | { readonly kind: 'impostor' } | { readonly kind: 'silent' };

/**
 * Finds out which server answers: each paired box is asked for a trace over a fresh nonce, valid only if signed by a
 * pinned key; if none answers, the cloud likewise. Facts stay independent: browser, person's choice, answer, slowness.
 * While nothing answers, the next check comes after 1 s, doubling up to 30 s (1§9).
 */
export class Connectivity {
  readonly facts = new ObservableValue<ConnectivityFacts>(INITIAL_FACTS, isJsonEqual);
  readonly answeringEdge = new ObservableValue<AnsweringEdge | null>(null, isJsonEqual);
  /** Cloud, while it answers and no box does; also null if this tablet has no credential there. */
  readonly answeringCloud = new ObservableValue<CloudRow | null>(null, isJsonEqual);
  readonly #backoff = new Backoff({ firstMs: LIMITS.retryFirstDelayMs, maxMs: LIMITS.connectivityRetryMaxMs });
  #cancelNext: (() => void) | undefined;
  #checking: Promise<ConnectivityFacts> | undefined;
  #stopNetwork: (() => void) | undefined;
  #closed = false;
  #isRecheckWanted = false;

  readonly #host: TabletHost;
  readonly #edges: () => readonly EdgeRow[];
  readonly #isConnected: () => boolean;
  readonly #onEdgeEpoch: (edge: EdgeRow, storeEpoch: string) => Promise<void>;
  readonly #cloudEndpoint: () => CloudEndpoint | undefined;
  readonly #onCloudEpoch: (cloud: CloudRow, storeEpoch: string) => Promise<CloudRow>;

  constructor(
    host: TabletHost,
    edges: () => readonly EdgeRow[],
    /** True while a verified connection exists: no check is needed. */
    isConnected: () => boolean,
    /** Called when a box signs a new epoch: everything that the old one receipted is owed again. */
    onEdgeEpoch: (edge: EdgeRow, storeEpoch: string) => Promise<void>,
    www: () => CloudEndpoint | undefined = () => undefined,
    onCloudEpoch: (cloud: CloudRow, storeEpoch: string) => Promise<CloudRow> = (cloud) => Promise.resolve(cloud),
  ) {
    this.#host = host;
    this.#edges = edges;
    this.#isConnected = isConnected;
    this.#onEdgeEpoch = onEdgeEpoch;
    this.#cloudEndpoint = www;
    this.#onCloudEpoch = onCloudEpoch;
  }

  start(offlineByChoice: boolean): void {
    this.#update({ offlineByChoice, browserOnline: this.#host.network.online() });
    this.#stopNetwork = this.#host.network.onChange(() => {
      this.#update({ browserOnline: this.#host.network.online() });
      void this.check();
    });
    void this.check();
  }

  /** Current box: the one that answers, else the one paired last. */
  currentEdge(): EdgeRow | undefined {
    const answering = this.answeringEdge.get()?.edge.nodeId;
    const edges = this.#edges();
    return (
      edges.find(({ nodeId }) => nodeId === answering) ??
      [...edges].sort((a, b) => (a.pairedAt < b.pairedAt ? 1 : -1))[0]
    );
  }

  /** Store to which operations are owed: the answering box, else the answering cloud, else the last one. */
  targetStore(): StoreRef | undefined {
    // Current rows: the epoch of a store may have changed since it answered.
    const ashore =
      this.answeringEdge.get() === null && this.answeringCloud.get() !== null ? this.#sendingCloud() : undefined;
    return ashore ?? this.currentEdge() ?? this.#sendingCloud();
  }

  /** Kind of the target store; a box if none is known. */
  targetKind(): 'box' | 'shore' {
    const target = this.targetStore();
    return target === undefined || this.#edges().some(({ nodeId }) => nodeId === target.nodeId) ? 'box' : 'shore';
  }

  #sendingCloud(): CloudRow | undefined {
    const cloud = this.#cloudEndpoint()?.cloud;
    return cloud === undefined || cloud.credential === null ? undefined : cloud;
  }

  close(): void {
    this.#closed = true;
    this.#cancelNext?.();
    this.#stopNetwork?.();
  }

  setOffline(offlineByChoice: boolean): Promise<ConnectivityFacts> {
    this.#update({ offlineByChoice });
    return this.check();
  }

  setSlow(slow: boolean): void {
    this.#update({ slow });
  }

  /** Checks at once; a running check is followed by another, as its inputs may have changed. */
  check(): Promise<ConnectivityFacts> {
    if (this.#checking !== undefined) {
      this.#isRecheckWanted = true;
      return this.#checking;
    }
    this.#checking = this.#checkUntilSettled().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkUntilSettled(): Promise<ConnectivityFacts> {
    do {
      this.#isRecheckWanted = false;
      await this.#checkOnce();
    } while (this.#isRecheckWanted && !this.#closed);
    this.#scheduleNext();
    return this.facts.get();
  }

  async #checkOnce(): Promise<void> {
    this.#cancelNext?.();
    if (this.facts.get().offlineByChoice) {
      this.#update({ answering: 'none', impostor: false, slow: false });
      this.answeringEdge.set(null);
      this.answeringCloud.set(null);
      return;
    }
    const edges = this.#probeEdges();
    const first = this.#edges().length === 0 ? await edges : await this.#withinTime(EDGES_FIRST_MS, edges);
    if (first?.found === true) return;
    const www = await this.#probeCloud();
    if (first === undefined) {
      // Sending to the cloud may start, unless a box is already connected.
      if (www.cloud !== null && !this.#isConnected()) this.#setCloud(www.cloud, www);
      if ((await edges).found) return;
    }
    this.answeringEdge.set(null);
    this.#setCloud(www.cloud, { ...www, impostor: www.impostor || (await edges).impostor });
  }

  #setCloud(
    cloud: CloudRow | null,
    { answers, impostor }: { readonly answers: boolean; readonly impostor: boolean },
  ): void {
    this.#update({ answering: answers ? 'www' : 'none', impostor });
    this.answeringCloud.set(cloud === null || cloud.credential === null ? null : cloud);
  }

  async #probeEdges(): Promise<{ readonly found: boolean; readonly impostor: boolean }> {
    let impostor = false;
    for (const edge of this.#edges()) {
      const answer = await this.#probe(edge, '/edge/trace');
      if (
        answer.kind === 'server' &&
        answer.trace.network === 'edge' &&
        answer.trace.node === edge.nodeId &&
        (await this.#applyEpoch(edge, answer.trace))
      ) {
        this.#update({ answering: 'edge', impostor: false });
        this.answeringEdge.set({ edge });
        this.answeringCloud.set(null);
        return { found: true, impostor: false };
      }
      impostor ||= answer.kind !== 'silent';
    }
    return { found: false, impostor };
  }

  async #probeCloud(): Promise<{
    readonly answers: boolean;
    readonly impostor: boolean;
    readonly cloud: CloudRow | null;
  }> {
    const cloudEndpoint = this.#cloudEndpoint();
    const answer = cloudEndpoint === undefined ? undefined : await this.#probe(cloudEndpoint, '/trace');
    if (cloudEndpoint === undefined || answer?.kind !== 'server' || answer.trace.network !== 'www')
      return { answers: false, impostor: answer?.kind === 'impostor', cloud: null };
    const { cloud } = cloudEndpoint;
    if (cloud === undefined || cloud.nodeId !== answer.trace.node)
      return { answers: true, impostor: false, cloud: null };
    if (cloud.storeEpoch === answer.trace.storeEpoch) return { answers: true, impostor: false, cloud };
    try {
      return { answers: true, impostor: false, cloud: await this.#onCloudEpoch(cloud, answer.trace.storeEpoch) };
    } catch (error) {
      this.#host.log.note('warn', 'The new cloud epoch could not be stored.', { error: String(error) });
      return { answers: true, impostor: false, cloud: null };
    }
  }

  /** Result within `ms`, or undefined; the work continues. */
  #withinTime<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const cancelTimer = this.#host.timers.after(ms, () => resolve(undefined));
      work.finally(cancelTimer).then(resolve, reject);
    });
  }

  /** Applies a new epoch of a box. False if it could not be stored: the next check retries it. */
  async #applyEpoch(edge: EdgeRow, { storeEpoch }: NodeTrace): Promise<boolean> {
    if (storeEpoch === edge.storeEpoch) return true;
    try {
      await this.#onEdgeEpoch(edge, storeEpoch);
      return true;
    } catch (error) {
      this.#host.log.note('warn', 'The new box epoch could not be stored.', { edge: edge.name, error: String(error) });
      return false;
    }
  }

  async #probe({ origin, traceKeys }: CloudEndpoint, path: string): Promise<TraceAnswer> {
    const slow = this.#host.timers.after(LIMITS.slowConnectionMs, () => this.#update({ slow: true }));
    try {
      const http = new EdgeHttp(this.#host, origin);
      const trace = await fetchVerifiedTrace(this.#host, traceKeys, async (nonce) => {
        const text = await http.trace(nonce, path, LIMITS.receiptTimeoutMs);
        this.#update({ slow: false });
        return text;
      });
      return trace === undefined ? { kind: 'impostor' } : { kind: 'server', trace };
    } catch (error) {
      this.#host.log.note('info', 'A server did not answer.', { origin, error: String(error) });
      return { kind: 'silent' };
    } finally {
      slow();
    }
  }

  #scheduleNext(): void {
    if (this.#closed) return;
    const { answering, offlineByChoice } = this.facts.get();
    if (offlineByChoice || (this.#edges().length === 0 && this.#cloudEndpoint() === undefined)) {
      this.#update({ nextCheckAt: null });
      return;
    }
    if (answering === 'edge') this.#backoff.reset();
    const delay = answering === 'edge' ? LIMITS.connectivityRetryMaxMs : this.#backoff.next();
    const wait = withJitter(delay, this.#host.randomBytes);
    this.#update({ nextCheckAt: this.#host.clock.now() + wait });
    this.#cancelNext = this.#host.timers.after(wait, () => {
      if (this.#isConnected()) this.#scheduleNext();
      else void this.check();
    });
  }

  #update(change: Partial<ConnectivityFacts>): void {
    this.facts.set({ ...this.facts.get(), ...change });
  }
}
