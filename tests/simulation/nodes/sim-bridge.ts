import type { ByteSource, CloudApi, EdgeApi, NodeFacts } from '../../../cloud-sync/bridge/link/node-apis';
import { Bridge } from '../../../cloud-sync/bridge/bridge';
import type { BridgeState } from '../../../cloud-sync/bridge/state/bridge-state';
import { BridgeStateFile } from '../../../cloud-sync/bridge/state/bridge-state-file';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { CloudOpsReply, HaveReply, UploadReply } from '../../../src/protocol/cloud-http';
import { ReefError } from '../../../src/domain/errors';
import type { BridgeState as BridgeOrders, FreeingReply, OpsReply } from '../../../src/protocol/edge-http';
import { withTimeout } from '../../../src/data/transport/timing';
import type { Timers } from '../../../src/platform/host';
import { parseNodeTrace } from '../../../src/protocol/node-trace';
import type { LeanAnswer, LeanRequest } from './lean-app';
import { DiskContent, memoryDisk } from './memory-disk';
import type { Server, NetworkLink } from './network';
import type { SimCloud } from './sim-cloud';
import { callerOf, goodBody, takePiece } from './sim-cloud';
import type { SimEdge } from './sim-edge';
import { Life, cloneOf } from '../virtual-loop';
import type { World } from '../world';

/** Time-out of a request, ms. */
const ANSWER_MS = 10_000;

/** Simulated bridge of a box: production code over unreliable links, with its state on its own disk. */
export class SimBridge {
  readonly name: string;
  readonly wall = { offset: 0 };
  running: { readonly life: Life; readonly bridge: Bridge } | undefined;
  readonly ashore: NetworkLink;
  readonly aboard: NetworkLink;
  #disk = new DiskContent();
  #lives = 0;

  readonly #world: World;
  readonly #cloud: SimCloud;

  constructor(
    world: World,
    readonly edge: SimEdge,
    cloud: SimCloud,
  ) {
    this.#world = world;
    this.#cloud = cloud;
    this.name = edge.name.replace('Edge', 'Bridge');
    this.ashore = world.way(`${this.name}-Cloud`);
    this.aboard = world.way(`${this.name}-${edge.name}`);
  }

  get alive(): boolean {
    return this.running?.life.alive === true;
  }

  async boot(): Promise<void> {
    const world = this.#world;
    const { loop } = world;
    this.#lives += 1;
    const life = new Life(`${this.name}#${this.#lives}`, true);
    const device = loop.device(life, this.wall, loop.now);
    this.#disk.folders.add('/bridge');
    const bridge = new Bridge({
      edge: this.#edgeApi(life, device),
      cloud: this.#cloudApi(life, device),
      state: new BridgeStateFile(
        memoryDisk(this.#disk, () => loop.turn(life)),
        '/bridge',
        (message) => world.note(this.name, message),
      ),
      clock: device,
      timers: {
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            if (signal?.aborted === true) {
              resolve();
              return;
            }
            const done = (): void => {
              callOff();
              signal?.removeEventListener('abort', done);
              resolve();
            };
            const callOff = device.after(ms, done);
            signal?.addEventListener('abort', done);
          }),
      },
      random: () => world.random.fraction(),
      limits: {
        edgePollMs: 4000,
        cloudPollMs: 6000,
        tickMs: 2000,
        retryMs: 1000,
        retryMaxMs: 8000,
        refusedMs: 5000,
        itemRetryMs: 2000,
        itemRetryMaxMs: 16_000,
        referenceMs: 3_600_000,
        references: [],
      },
      log: (level, message, fields) => world.note(this.name, `${level}: ${message} ${JSON.stringify(fields ?? {})}`),
    });
    this.running = { life, bridge };
    loop.as(life, () => {
      bridge.run(new AbortController().signal).catch((error: unknown) => {
        if (life.alive) world.loop.onThrown(life, error);
      });
    });
  }

  /** State stored on its disk. */
  state(): BridgeState | undefined {
    const file = this.#disk.files.get('/bridge/state.json');
    return file === undefined ? undefined : (JSON.parse(file.content.toString('utf8', 0, file.length)) as BridgeState);
  }

  /** Simulates a lost disk or a replacement laptop. */
  forgetAll(): void {
    this.#disk = new DiskContent();
  }

  /** Request with a time-out, like the bridge's own HTTP. */
  #ask(way: NetworkLink, life: Life, timers: Timers, server: () => Server | undefined): Promise<unknown> {
    return withTimeout(timers, ANSWER_MS, way.request(life, server));
  }

  #edgeApi(life: Life, timers: Timers): EdgeApi {
    const ask = async (route: string, request: LeanRequest): Promise<unknown> => {
      const answer = (await this.#ask(this.aboard, life, timers, () => {
        const { running } = this.edge;
        return running === undefined
          ? undefined
          : { life: running.life, serve: async () => cloneOf(await this.edge.ask(route, cloneOf(request))) };
      })) as LeanAnswer;
      return goodBody(answer);
    };
    return {
      identity: async () => factsOf(await ask('GET /edge/trace', {})),
      facts: async () => ({ name: this.edge.name, version: '0', disk: null, owed: { ops: 0, bytes: 0 } }),
      changes: async (query) =>
        (await this.#ask(this.aboard, life, timers, () => {
          const { running } = this.edge;
          return running === undefined
            ? undefined
            : { life: running.life, serve: async () => cloneOf(await running.context.queries.changes(query, 'admin')) };
        })) as ChangesPage,
      bytes: (sha256, { start, end }) => this.#bytesFrom(life, timers, sha256, start, end),
      postOps: async (brought) => (await ask('POST /edge/ops', { body: brought })) as OpsReply,
      putReference: async (name, value) =>
        void (await ask('PUT /edge/reference/:name', { params: { name }, body: value })),
      commands: async () => (await ask('POST /edge/bridge', { body: { action: 'status' } })) as BridgeOrders,
      freeing: async (answer) =>
        (await ask('POST /edge/freeing', { body: answer === null ? {} : { answer } })) as FreeingReply,
      ownKeys: async () => ({ bundle: [], receipt: [] }),
      people: async () => ({ keys: [], statements: [] }),
      report: async () => undefined,
    };
  }

  async *#bytesFrom(life: Life, timers: Timers, sha256: string, start: number, end: number): ByteSource {
    const answer = await this.#ask(this.aboard, life, timers, () => {
      const { running } = this.edge;
      if (running === undefined) return undefined;
      return {
        life: running.life,
        serve: async () => {
          if (!(await running.blobs.has(sha256))) throw new ReefError('not-found');
          return this.edge.bytesOf(sha256)?.slice(start, end + 1);
        },
      };
    });
    if (answer === undefined) throw new ReefError('not-found');
    yield answer as Uint8Array;
  }

  #cloudApi(life: Life, timers: Timers): CloudApi {
    const cloud = this.#cloud;
    const uploads = new Map<string, string>();
    const node = (): string => this.edge.running?.store.identity.nodeId ?? '';
    const call = (work: Parameters<SimCloud['serve']>[0]): Promise<unknown> =>
      this.#ask(this.ashore, life, timers, () => cloud.serve(async (running) => cloneOf(await work(running))));
    const ask = async (route: string, request: LeanRequest): Promise<unknown> => {
      const caller = callerOf('box', { node: node() });
      return goodBody(
        (await call((running) => running.lean.ask(route, { cloudCaller: caller, ...cloneOf(request) }))) as LeanAnswer,
      );
    };
    return {
      identity: async () => factsOf(await ask('GET /trace', {})),
      postOps: async (batch) => {
        const { results } = (await ask('POST /api/ops', { body: batch })) as CloudOpsReply;
        for (const result of results) if ('receipt' in result) this.#world.oracle.given(result.receipt);
        return results;
      },
      findMissing: async (sha256) => ((await ask('POST /api/have', { body: { sha256 } })) as HaveReply).missing,
      announce: async (blob) => {
        const begun = (await ask('POST /api/uploads', { body: blob })) as UploadReply;
        uploads.set(begun.uploadId, blob.sha256);
        return begun;
      },
      upload: async ({ uploadId, offset, source }) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of source) pieces.push(piece);
        const bytes = Buffer.concat(pieces);
        return (await call((running) =>
          takePiece(running, uploadId, offset, bytes, uploads.get(uploadId) ?? ''),
        )) as number;
      },
      changes: async ({ since, limit }) => (await ask('GET /api/changes', { query: { since, limit } })) as ChangesPage,
      keys: async () => ({
        keys: ((await call(async ({ lean }) => (await lean.ask('GET /api/keys', {})).body)) as { keys: never[] }).keys,
      }),
      jwks: async () => null,
      reference: async () => null,
      boxKeys: async () => undefined,
      people: async () => true,
      report: async () => undefined,
    };
  }
}

function factsOf(body: unknown): NodeFacts {
  const trace = parseNodeTrace(String(body));
  if (trace === undefined) throw new ReefError('bad-message', { message: 'no trace' });
  const { node, storeEpoch, time } = trace;
  return { node, storeEpoch, time };
}
