import { createHash } from 'node:crypto';
import type { PersonId } from '../../src/domain/ids';
import { ReefError } from '../../src/domain/errors';
import type { Seeded } from '../support/seed';
import { seeded } from '../support/seed';
import type { HostileParty } from './hostile/party';
import type { LeanAnswer, LeanRequest } from './nodes/lean-app';
import { NetworkLink } from './nodes/network';
import { Oracle } from './oracle';
import { SimBridge } from './nodes/sim-bridge';
import { SimCloud, callerOf } from './nodes/sim-cloud';
import { SimEdge } from './nodes/sim-edge';
import { SimTablet } from './nodes/sim-tablet';
import type { Life } from './virtual-loop';
import { VirtualLoop } from './virtual-loop';

/** Nodes of a history. */
export interface Topology {
  readonly tablets: number;
  readonly edges: number;
  readonly cloud: boolean;
}

export type SimNode = SimTablet | SimEdge | SimBridge | SimCloud;

/** Nodes and links of a history, with one loop and one random stream. */
export class World {
  readonly loop = new VirtualLoop();
  readonly random: Seeded;
  readonly oracle: Oracle;
  readonly tablets: readonly SimTablet[];
  readonly edges: readonly SimEdge[];
  readonly cloud: SimCloud | undefined;
  readonly bridges: readonly SimBridge[];
  /** Hostile tablet and box among the honest nodes. */
  hostile: HostileParty | undefined;
  readonly coverage: Record<string, number> = {};
  /** Lines of what happened; the same seed yields the same lines. */
  readonly trace: string[] = [];
  readonly #allWays: NetworkLink[] = [];
  readonly #hash = createHash('sha256');

  readonly #keepTrace: boolean;

  constructor(
    seed: number,
    readonly cast: Topology,
    /** Folder of this history's SQLite files. */
    readonly folder: string,
    /** Distinguishes database names within one process. */
    readonly id: string,
    keepTrace: boolean,
  ) {
    this.#keepTrace = keepTrace;
    this.random = seeded(seed);
    this.oracle = new Oracle(this);
    this.tablets = ['A', 'B']
      .slice(0, cast.tablets)
      .map((name, i) => new SimTablet(this, `Tablet${name}`, `Person000000000${i + 1}` as PersonId));
    this.edges = ['1', '2'].slice(0, cast.edges).map((name) => new SimEdge(this, `Edge${name}`));
    const cloud = cast.cloud ? new SimCloud(this) : undefined;
    this.cloud = cloud;
    this.bridges = cloud === undefined ? [] : this.edges.map((edge) => new SimBridge(this, edge, cloud));
    for (const tablet of this.tablets) {
      for (const edge of this.edges) tablet.ways.set(edge.name, this.way(`${tablet.name}-${edge.name}`));
      if (cloud !== undefined) tablet.ways.set(cloud.name, this.way(`${tablet.name}-${cloud.name}`));
    }
  }

  /** Every node that can be started and ended. */
  nodes(): readonly SimNode[] {
    return [...this.edges, ...(this.cloud === undefined ? [] : [this.cloud]), ...this.bridges, ...this.tablets];
  }

  ways(): readonly NetworkLink[] {
    return this.#allWays;
  }

  way(name: string): NetworkLink {
    const way = new NetworkLink(name, this.loop, this.random, this.covered);
    this.#allWays.push(way);
    return way;
  }

  readonly covered = (what: string): void => {
    this.coverage[what] = (this.coverage[what] ?? 0) + 1;
  };

  note(who: string, what: string): void {
    const line = `${this.loop.now.toFixed(2)} ${who}: ${what}`;
    this.#hash.update(line);
    if (this.#keepTrace) this.trace.push(line);
  }

  /** Digest of the trace. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  edgeAt(origin: string): SimEdge {
    const found = this.edges.find((edge) => edge.origin === origin);
    if (found === undefined) throw new ReefError('disconnected');
    return found;
  }

  /** `fetch` of a tablet. */
  async fetch(tablet: SimTablet, life: Life, url: string, init: RequestInit | undefined): Promise<Response> {
    const { origin, pathname, searchParams } = new URL(url);
    const edge = this.edges.find((one) => one.origin === origin);
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : init?.body;
    const request = {
      query: Object.fromEntries(searchParams),
      headers: { ...(init?.headers as Record<string, string> | undefined) },
      body,
    };
    const method = init?.method ?? 'GET';
    // Hints come late or never; no behaviour depends on them.
    if (pathname.endsWith('/stream'))
      return new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))),
      );
    if (edge === undefined)
      return responseOf((await this.#askCloud(tablet, life, method, pathname, request)) as LeanAnswer);
    const answer = (await tablet.wayTo(edge).request(life, () => {
      const { running } = edge;
      return running === undefined
        ? undefined
        : { life: running.life, serve: async () => edge.ask(`${method} ${pathname}`, request) };
    })) as LeanAnswer;
    return responseOf(answer);
  }

  #askCloud(tablet: SimTablet, life: Life, method: string, pathname: string, request: LeanRequest): Promise<unknown> {
    const { cloud } = this;
    if (cloud === undefined) throw new TypeError('fetch failed');
    const [, deviceId = null] = request.headers?.['authorization']?.replace('Bearer ', '').split(' ') ?? [];
    return tablet
      .wayTo(cloud)
      .request(life, () =>
        cloud.serve(async (running) =>
          cloud.answer(running, method, pathname, {
            ...request,
            cloudCaller: callerOf('device', { deviceId, person: tablet.person }),
          }),
        ),
      );
  }

  /** Runs the loop for `ms`. */
  pass(ms: number, stop?: () => boolean): void {
    this.loop.run(this.loop.now + ms, stop);
  }

  /** Value of a promise that settles soon; undefined if its life ended. */
  tryToSettle<Value>(promise: Promise<Value>): Value | undefined {
    let settled: { readonly value: Value } | undefined;
    promise.then(
      (value) => {
        settled = { value };
      },
      () => undefined,
    );
    this.loop.run(this.loop.now + 50);
    return settled?.value;
  }

  /** Starts work as a task of a node; undefined if it does not answer soon. */
  tryOn<Value>(life: Life, work: () => Promise<Value>): Value | undefined {
    return this.tryToSettle(
      new Promise<Value>((resolve, reject) => {
        this.loop.as(life, () => void work().then(resolve, reject));
      }),
    );
  }

  /** Runs the loop until a promise settles. @throws its rejection; Error if it does not settle in time */
  settle<Value>(promise: Promise<Value>, what: string, ms = 120_000): Value {
    let state: { readonly value: Value } | { readonly error: unknown } | undefined;
    promise.then(
      (value) => {
        state = { value };
      },
      (error: unknown) => {
        state = { error };
      },
    );
    this.loop.run(this.loop.now, () => state !== undefined);
    if (state === undefined) this.loop.run(this.loop.now + ms, () => state !== undefined);
    const settled = state as { readonly value: Value } | { readonly error: unknown } | undefined;
    if (settled === undefined) throw new Error(`never settled: ${what}`);
    if ('error' in settled) throw settled.error;
    return settled.value;
  }
}

/** The part of a `fetch` response that the tablet reads. */
function responseOf({ status, headers, body }: LeanAnswer): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  let left: Uint8Array | undefined = Buffer.from(text ?? '');
  const reader = {
    read: async () => {
      const value = left;
      left = undefined;
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    cancel: async () => undefined,
  };
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string) => headers.get(name.toLowerCase()) ?? null },
    body: { getReader: () => reader },
    text: async () => text,
    json: async () => JSON.parse(text) as unknown,
  } as unknown as Response;
}
