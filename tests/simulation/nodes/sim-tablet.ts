import { createHash } from 'node:crypto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { PersonId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import { findCloud, storeCloud } from '../../../src/data/sync/pairing/cloud-pairing';
import { pairEdge } from '../../../src/data/sync/pairing/edge-pairing';
import type { TabletCore } from '../../../src/data/tablet-core';
import { openTabletCore } from '../../../src/data/tablet-core';
import type { PublicKey, Receipt } from '../../../src/protocol/receipt';
import { verifySignature } from '../../../src/server/ops/receipt-signer';
import type { Log, TabletHost } from '../../../src/platform/host';
import { simDeviceKeys } from './sim-device-keys';
import { SimSocket } from './sim-socket';
import type { NetworkLink } from './network';
import type { SimEdge } from './sim-edge';
import { Life, SimBlob, cloneOf } from '../virtual-loop';
import type { World } from '../world';

/** Running tablet: the state of one life of its page. */
interface Running extends TabletCore {
  readonly life: Life;
}

interface RawDatabase {
  readonly rawObjectStores: Map<string, RawStore>;
  connections: unknown[];
  transactions: { _state: string; _rollbackLog: (() => void)[]; _abort: (name: string | null) => void }[];
}
interface RawStore {
  readonly records: RawRecords;
  readonly rawIndexes: Map<string, { readonly records: RawRecords }>;
}
interface RawRecords {
  values: () => Iterable<{ key: unknown; value: unknown }>;
  put: (record: { key: unknown; value: unknown }) => void;
}

interface Segment {
  readonly ops: readonly [number, string | null, Op][];
  readonly receipts: readonly [number, Receipt][];
}

/**
 * Simulated tablet: production's append, op index, sender and puller over fake-indexeddb, whose content outlives them.
 */
export class SimTablet {
  readonly wall = { offset: 0 };
  running: Running | undefined;
  readonly ways = new Map<string, NetworkLink>();
  #factory = new IDBFactory();
  #marker: string | null = null;
  #lives = 0;
  #online: (() => void)[] = [];
  /** Public keys that it ever had; its person signed in on each. */
  readonly deviceKeys = new Set<string>();
  /** Errors in the tablet's log. */
  readonly faults: string[] = [];

  readonly #world: World;

  constructor(
    world: World,
    readonly name: string,
    readonly person: PersonId,
  ) {
    this.#world = world;
  }

  get alive(): boolean {
    return this.running?.life.alive === true;
  }

  /** Opens its page over its storage. */
  async boot(): Promise<void> {
    const world = this.#world;
    this.#lives += 1;
    const life = new Life(`${this.name}#${this.#lives}`, false);
    const host = this.#hostOf(life);
    // Dexie caches databases by name for the whole process; a killed page must lose that cache.
    const core = await openTabletCore({
      host,
      self: { name: this.name, appVersion: '0' },
      database: `${world.id}-${this.name}#${this.#lives}`,
    });
    if (!life.alive) return;
    life.onEnd(() => this.#tear(core));
    this.running = { life, ...core };
    core.connectivity.start(false);
    core.sync.start();
  }

  /** Discards the page at once, with its unfinished transactions. */
  #tear({ store, opIndex }: TabletCore): void {
    for (const raw of this.#databases()) {
      for (const transaction of [...raw.transactions])
        if (transaction._state !== 'finished') transaction._abort('AbortError');
      raw.connections = [];
      raw.transactions = [];
    }
    opIndex.close();
    store.close();
  }

  #databases(): RawDatabase[] {
    return [...(this.#factory as unknown as { _databases: Map<string, RawDatabase> })._databases.values()];
  }

  #hostOf(life: Life): TabletHost {
    const world = this.#world;
    const factory = this.#factory;
    const device = world.loop.device(life, this.wall, world.loop.now);
    const plain = (name: string): string => name.replace(/^.*#\d+-ops$/, 'ops');
    const living = (): void => {
      if (!life.alive) throw new Error('The page is closed.');
    };
    const held = new Map<string, Promise<unknown>>();
    return {
      clock: device,
      timers: device,
      randomBytes: (n) => Uint8Array.from(world.random.bytes(n)),
      sha256: async (of) =>
        createHash('sha256')
          .update(of instanceof SimBlob ? of.content : (of as string))
          .digest('hex'),
      verifySignature: async (key, sig, text) => verifySignature(key as PublicKey, sig, text),
      deviceKeys: simDeviceKeys(
        () => `${this.name} ${this.deviceKeys.size}`,
        (x) => this.deviceKeys.add(x),
      ),
      locks: {
        hold: async (name, _signal, work) => {
          const turn = (held.get(name) ?? Promise.resolve()).then(work);
          held.set(
            name,
            turn.catch(() => undefined),
          );
          return turn;
        },
      },
      channel: () => ({ post: () => undefined, close: () => undefined }),
      fetch: (url, init) => world.fetch(this, life, url, init),
      openSocket: async (origin) => {
        const edge = world.edgeAt(origin);
        return new SimSocket(
          this.wayTo(edge),
          life,
          edge,
          (event, answer) => world.oracle.heard(this, event, answer),
          world.covered,
        );
      },
      idb: {
        factory: {
          open: (name: string, version?: number) => {
            living();
            return factory.open(plain(name), version);
          },
          deleteDatabase: (name: string) => {
            living();
            return factory.deleteDatabase(plain(name));
          },
          cmp: (a: unknown, b: unknown) => factory.cmp(a, b),
          databases: () => factory.databases(),
        } as unknown as globalThis.IDBFactory,
        keyRange: IDBKeyRange as unknown as typeof globalThis.IDBKeyRange,
      },
      network: {
        online: () => true,
        onChange: (listener) => {
          this.#online.push(listener);
          return () => {
            this.#online = this.#online.filter((other) => other !== listener);
          };
        },
      },
      storage: {
        persisted: async () => true,
        persist: async () => true,
        estimate: async () => ({ used: null, quota: null }),
        marker: {
          read: () => this.#marker,
          write: (value) => {
            this.#marker = value;
          },
        },
      },
      log: this.#logOf(life),
    };
  }

  #logOf(life: Life): Log {
    return {
      note: (level, message, details) => {
        if (!life.alive) return;
        if (level === 'error') this.faults.push(`${message} ${JSON.stringify(details ?? {})}`);
        this.#world.note(
          this.name,
          `${level}: ${message}${details === undefined ? '' : ` ${JSON.stringify(cloneOf(details))}`}`,
        );
      },
      entries: () => [],
      onNote: () => () => undefined,
    };
  }

  wayTo(node: { readonly name: string }): NetworkLink {
    const way = this.ways.get(node.name);
    if (way === undefined) throw new Error(`no way from ${this.name} to ${node.name}`);
    return way;
  }

  /** Signals a network change to the device. */
  noticeNetwork(): void {
    for (const listener of [...this.#online]) listener();
  }

  async pair(edge: SimEdge): Promise<void> {
    const { running } = this;
    if (running === undefined) return;
    await pairEdge(running.store, { name: this.name, appVersion: '0' }, edge.origin);
    await running.opIndex.follow();
    await running.connectivity.check();
  }

  /** Signs its person in to the cloud, so that it may send there directly. */
  async signInAshore(origin: string): Promise<void> {
    const { running } = this;
    if (running === undefined) return;
    const found = await findCloud(running.store, origin);
    await storeCloud(running.store, found, {
      credential: `${this.name} ${this.deviceId()}`,
      limits: { chunkBytes: 1 << 20, imageBytes: 1 << 30 },
    });
    await running.opIndex.follow();
    await running.connectivity.check();
  }

  /** All operations in its storage, read from outside. */
  ops(): { readonly op: Op; readonly own: boolean }[] {
    return [
      ...(this.rows('ops') as { op: Op; own: boolean }[]),
      ...this.#segments().flatMap(({ ops }) => ops.map(([, , op]) => ({ op, own: false }))),
    ];
  }

  /** All receipts in its storage, read from outside. */
  receipts(): { readonly opId: string; readonly storeEpoch: string; readonly receipt: Receipt }[] {
    const packed = this.#segments().flatMap(({ receipts }) =>
      receipts.map(([, receipt]) => ({ opId: receipt.opId, storeEpoch: receipt.storeEpoch, receipt })),
    );
    return [...(this.rows('receipts') as { opId: string; storeEpoch: string; receipt: Receipt }[]), ...packed];
  }

  #segments(): Segment[] {
    return (this.rows('segments') as { content: string }[]).map(({ content }) => JSON.parse(content) as Segment);
  }

  deviceId(): string {
    return String(
      (this.rows('meta') as { key: string; value: unknown }[]).find(({ key }) => key === 'deviceId')?.value,
    );
  }

  rows(table: string): unknown[] {
    return this.#databases().flatMap(({ rawObjectStores }) =>
      [...(rawObjectStores.get(table)?.records.values() ?? [])].map(({ value }) => value),
    );
  }

  /** Copies its storage; the returned function restores it. */
  backup(): () => void {
    const tables = this.#databases().map(({ rawObjectStores }) =>
      [...rawObjectStores].map(([name, { records, rawIndexes }]) => ({
        name,
        records: [...records.values()],
        indexes: [...rawIndexes].map(([index, { records: of }]) => ({ index, records: [...of.values()] })),
      })),
    );
    return () => {
      this.#databases().forEach(({ rawObjectStores }, i) => {
        for (const { name, records, indexes } of tables[i] ?? []) {
          const raw = rawObjectStores.get(name) as RawStore & { records: RawRecords & { clear: () => void } };
          raw.records.clear();
          for (const record of records) raw.records.put(record);
          for (const { index, records: of } of indexes) {
            const held = raw.rawIndexes.get(index) as { records: RawRecords & { clear: () => void } };
            held.records.clear();
            for (const record of of) held.records.put(record);
          }
        }
      });
    };
  }
}
