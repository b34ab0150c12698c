import fs from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { EdgeContext } from '../../../edge-server/context';
import { bridgeRoutes } from '../../../edge-server/bridge/bridge-routes';
import { freeingRoutes } from '../../../edge-server/freeing/freeing-routes';
import { opsRoutes } from '../../../edge-server/intake/ops-routes';
import { referenceRoutes } from '../../../edge-server/bridge/reference-routes';
import { traceRoutes } from '../../../edge-server/pairing/trace-routes';
import { rolesOnTablet } from '../../../edge-server/sign-in/revoked-sign-in';
import { Freeing } from '../../../edge-server/freeing/freeing';
import { openImageLinks } from '../../../edge-server/reads/open-image-links';
import { Intake } from '../../../edge-server/intake/intake';
import { TrustedTime } from '../../../edge-server/sign-in/trusted-time';
import { Queries } from '../../../edge-server/reads/queries';
import { ReferenceData } from '../../../edge-server/bridge/reference-data';
import { Sessions } from '../../../edge-server/sign-in/sessions';
import { Subscriptions } from '../../../edge-server/reads/subscriptions';
import type { Connection } from '../../../edge-server/socket/connection';
import { scopeOf } from '../../../edge-server/socket/connection';
import { answerEvent } from '../../../edge-server/socket/dispatcher';
import type { GpsSource } from '../../../edge-server/vessel/gps-source';
import type { Senders } from '../../../edge-server/reads/senders';
import type { BoxState, ReferenceRow, SessionRow } from '../../../edge-server/store/box-state';
import { settleFreed } from '../../../edge-server/store/freed-bytes';
import { SqliteAppendStore } from '../../../edge-server/store/sqlite-append-store';
import type { PersonId } from '../../../src/domain/ids';
import { makeId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { EdgeRole } from '../../../src/domain/policy/edge-policy';
import { recoverBlobs } from '../../../src/server/blobs/blob-recovery';
import { FileBlobStore } from '../../../src/server/blobs/file-blob-store';
import type { ProbePoint } from '../../../src/server/ops/probe';
import type { PublicKey } from '../../../src/protocol/receipt';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { keyFileOf } from '../keys';
import type { LeanAnswer, LeanRequest } from './lean-app';
import { LeanApp } from './lean-app';
import { DiskContent, memoryDisk } from './memory-disk';
import { Life, START } from '../virtual-loop';
import type { World } from '../world';

/** State of a box beside its store, by table. */
interface Kept {
  readonly settings: Map<string, string>;
  readonly sessions: Map<string, SessionRow>;
  readonly references: Map<string, ReferenceRow>;
  readonly signedIn: Map<string, string>;
}

/** Thrown at a probe where the box must end. */
class Ended extends Error {}

/** Running box: the state of one of its lives. */
interface Running {
  readonly life: Life;
  readonly store: SqliteAppendStore;
  readonly blobs: FileBlobStore;
  readonly context: EdgeContext;
  readonly lean: LeanApp;
  readonly connections: Set<Attended>;
}

interface Attended {
  readonly connection: Connection;
  readonly cut: () => void;
}

const ADMIN = { session: null, roles: new Set<EdgeRole>(['anyone', 'admin']) };

/**
 * Simulated box: production's intake, store, blobs, queries, sessions and socket handlers over an in-memory disk and an
 * SQLite file that outlive its programs.
 */
export class SimEdge {
  readonly origin: string;
  /** Offset of the box's clock from the true time, ms. */
  readonly wall = { offset: 0 };
  running: Running | undefined;
  /** Keys it signs receipts with, as its bridge reported ashore. */
  receiptKeys: readonly PublicKey[] = [];
  /** Node of its store, once it ran. */
  nodeId: string | undefined;
  /** Errors that the box reported as its own fault. */
  readonly faults: string[] = [];
  /** Simulates a nearly full disk: it frees what the cloud has. */
  full = false;
  /** Point inside a commit where the next life ends. */
  endAt: ProbePoint | undefined;
  /** Set after a restore; reported at the next start. */
  #restored = false;
  #disk = new DiskContent();
  #kept: Kept = { settings: new Map(), sessions: new Map(), references: new Map(), signedIn: new Map() };
  #folder: string;
  #lives = 0;
  #stores = 0;

  readonly #world: World;

  constructor(
    world: World,
    readonly name: string,
  ) {
    this.#world = world;
    this.origin = `https://${name.toLowerCase()}.box`;
    this.#folder = this.#newFolder();
  }

  get alive(): boolean {
    return this.running?.life.alive === true;
  }

  #newFolder(): string {
    this.#stores += 1;
    const folder = path.join(this.#world.folder, `${this.name}-${this.#stores}`);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Starts its program over its disks. */
  async boot(): Promise<void> {
    const { loop } = this.#world;
    this.#lives += 1;
    this.endAt = undefined;
    const life = new Life(`${this.name}#${this.#lives}`, true);
    const disk = {
      ...memoryDisk(this.#disk, () => loop.turn(life)),
      statfs: async () => ({ free: this.full ? 2 ** 36 : 2 ** 40, size: 2 ** 41 }),
    };
    this.#disk.folders.add('/edge');
    this.#disk.folders.add('/edge/keys');
    for (const key of ['receipts', 'traces']) {
      const text = Buffer.from(keyFileOf(`${this.name} ${key}`));
      this.#disk.files.set(`/edge/keys/${key}.json`, { content: text, length: text.length });
    }
    const clock = (): number => START + loop.now + this.wall.offset;
    const probe = (point: ProbePoint): void => {
      if (point !== this.endAt || !life.alive) return;
      this.endAt = undefined;
      life.end();
      throw new Ended(point);
    };
    const [receiptKey, traceKey] = await Promise.all(
      ['receipts', 'traces'].map((name) => ReceiptSigner.open(`/edge/keys/${name}.json`, disk)),
    );
    if (receiptKey === undefined || traceKey === undefined) throw new Error('a box has keys');
    this.receiptKeys = receiptKey.publicKeys;
    const store = SqliteAppendStore.open({
      folder: this.#folder,
      signer: receiptKey,
      lock: { release: () => undefined },
      onFatal: (error) => this.faults.push(`fatal: ${String(error)}`),
      report: (message) => this.#world.note(this.name, message),
      now: () => new Date(clock()),
      probe,
      restored: this.#restored,
    });
    this.#restored = false;
    this.nodeId = store.identity.nodeId;
    life.onEnd(() => {
      this.running?.context.subscriptions.close();
      if (store.database.open && !store.database.inTransaction) store.database.close();
      else loop.after(0, () => store.database.close(), null);
      for (const { cut } of [...(this.running?.connections ?? [])]) cut();
    });
    const blobs = await FileBlobStore.open({
      root: '/edge/home',
      minFreeBytes: 0,
      onFatal: (error) => this.faults.push(`fatal: ${String(error)}`),
      disk,
      probe,
    });
    const found = await recoverBlobs(blobs);
    for (const sha256 of found.quarantined) store.blobs.quarantine(sha256);
    await settleFreed(store.freed, (sha256) => blobs.size(sha256));
    for (const { sha256, bytes } of store.blobs.expectedBlobs())
      if ((await blobs.size(sha256)) !== bytes) store.blobs.quarantine(sha256);
    if (!life.alive) return;
    const context = this.#contextOf(store, blobs, { receiptKey, traceKey, clock, life });
    const lean = new LeanApp();
    for (const add of [traceRoutes, opsRoutes, bridgeRoutes, freeingRoutes, referenceRoutes]) add(lean.app, context);
    this.running = { life, store, blobs, context, lean, connections: new Set() };
  }

  /** Signs a person in on a paired tablet. */
  signIn(deviceId: string, person: PersonId): void {
    const { running } = this;
    if (running === undefined) return;
    for (const [hash, row] of this.#kept.sessions) {
      const held = row as { deviceId: string };
      if (held.deviceId === deviceId)
        running.context.sessions.update({ hash, deviceId, person: null }, deviceId, {
          uid: person,
          email: `${person}@example.org`,
          name: { first: 'A', last: 'B' },
          pending: false,
          ...this.#world.hostile?.signInOf(person),
        });
    }
  }

  /** Swaps the disk: an empty store with another epoch, under the same keys and sessions. */
  replaceStore(): void {
    const before = this.#folder;
    this.#folder = this.#newFolder();
    // Keys and identity were on another disk.
    fs.mkdirSync(path.join(this.#folder, 'keys'));
    fs.copyFileSync(path.join(before, 'keys', 'node.json'), path.join(this.#folder, 'keys', 'node.json'));
    this.#disk = new DiskContent();
  }

  /** Copies all content; the returned function restores it. */
  backup(): () => void {
    const folder = this.#newFolder();
    const { running } = this;
    running?.store.database.pragma('wal_checkpoint(TRUNCATE)');
    fs.cpSync(path.join(this.#folder, 'census.sqlite'), path.join(folder, 'census.sqlite'));
    const disk = this.#disk.copy();
    return () => {
      const before = this.#folder;
      this.#folder = this.#newFolder();
      fs.mkdirSync(path.join(this.#folder, 'keys'));
      fs.copyFileSync(path.join(before, 'keys', 'node.json'), path.join(this.#folder, 'keys', 'node.json'));
      fs.copyFileSync(path.join(folder, 'census.sqlite'), path.join(this.#folder, 'census.sqlite'));
      this.#disk = disk.copy();
      this.#restored = true;
    };
  }

  #contextOf(
    store: SqliteAppendStore,
    blobs: FileBlobStore,
    {
      receiptKey,
      traceKey,
      clock,
      life,
    }: { receiptKey: ReceiptSigner; traceKey: ReceiptSigner; clock: () => number; life: Life },
  ): EdgeContext {
    const state = stateOf(this.#kept);
    const note = (level: string) => (details: unknown, message?: string) => {
      if (level === 'error' && life.alive)
        this.faults.push(`${message ?? ''} ${String((details as { err?: unknown } | undefined)?.err ?? details)}`);
    };
    const log = {
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
      fatal: note('error'),
    } as unknown as Logger;
    const time = new TrustedTime(state);
    const senders = {
      connect: () => undefined,
      disconnect: () => undefined,
      setOwed: () => undefined,
      setSurvey: () => undefined,
      addReceived: () => undefined,
      list: () => Promise.resolve([]),
      onChange: () => () => undefined,
      close: () => undefined,
    } satisfies Pick<Senders, keyof Senders> as unknown as Senders;
    const gps: GpsSource = { current: () => null, onFix: () => () => undefined, close: () => undefined };
    const reference = new ReferenceData(state);
    const imageLinks = openImageLinks(state);
    const queries = new Queries({
      store,
      blobs,
      statistics: undefined as never,
      gps,
      track: undefined as never,
      senders,
      diskUse: undefined as never,
      imageLinks,
      outlines: { has: () => false },
      maps: { status: () => ({ status: 'none', files: 0, missing: 0, missingBytes: 0 }) },
      reference,
      clock,
      latest: clock,
      version: '0',
      name: this.name,
      minFreeBytes: 0,
    });
    const intake = new Intake(store, blobs, (uid, deviceId, key) =>
      rolesOnTablet({ reference, state }, uid, deviceId, key),
    );
    const freeing = new Freeing({
      store,
      blobs,
      intake,
      cloudKeys: () => reference.cloudKeys(),
      latestTime: () => Math.max(clock(), time.now()),
      clock,
      elapsed: () => this.#world.loop.now,
      retainPreview: async () => undefined,
      newId: () => makeId((n) => this.#world.random.bytes(n)),
      looksMs: { roomy: 20_000, full: 1000 },
      onFreed: ({ sha256 }) => this.#world.oracle.freedByBox(this, sha256),
      log,
    });
    const counted = { inc: () => undefined, dec: () => undefined, observe: () => undefined };
    const context: Partial<Record<keyof EdgeContext, unknown>> = {
      settings: { name: this.name, minFreeBytes: 0, cloudUrl: null },
      clock,
      probe: () => undefined,
      log,
      version: '0',
      store,
      blobs,
      receiptKey,
      traceKey,
      bundleKey: { publicKeys: [] },
      personKey: { publicKeys: [] },
      state,
      time,
      pairing: { admit: () => undefined } satisfies Pick<EdgeContext['pairing'], 'admit'>,
      sessions: new Sessions(state),
      reference,
      intake,
      freeing,
      queries,
      subscriptions: new Subscriptions(queries, store, gps, senders, log),
      imageLinks,
      senders,
      diskUse: { addReceived: () => undefined } satisfies Pick<EdgeContext['diskUse'], 'addReceived'>,
      refusals: { note: () => undefined } satisfies Pick<EdgeContext['refusals'], 'note'>,
      metrics: { messages: counted, sockets: counted, uploadedBytes: counted },
    };
    return context as unknown as EdgeContext;
  }

  /** Box end of a tablet's socket connection. */
  attend(
    update: (given: unknown) => void,
    cut: () => void,
  ): { handle: (event: string, args: readonly unknown[]) => Promise<unknown>; leave: () => void } | undefined {
    const { running } = this;
    if (running === undefined || !running.life.alive) return undefined;
    const connection: Connection = {
      address: 'deck',
      session: null,
      reader: () => scopeOf(connection.session),
      update,
    };
    const attended = { connection, cut };
    running.connections.add(attended);
    return {
      handle: (event, args) => answerEvent(running.context, connection, event, args),
      leave: () => {
        running.connections.delete(attended);
        running.context.subscriptions.remove(connection);
      },
    };
  }

  /** Calls a route with the admin token. */
  ask(route: string, request: LeanRequest): Promise<LeanAnswer> | undefined {
    const { running } = this;
    return running?.life.alive === true ? running.lean.ask(route, { caller: ADMIN, ...request }) : undefined;
  }

  /** All operations in its store, read from outside. */
  heldOps(): Op[] {
    const { running } = this;
    if (running === undefined || !running.life.alive) return [];
    return (running.store.database.prepare('SELECT op FROM ops ORDER BY seq').all() as { op: string }[]).map(
      ({ op }) => JSON.parse(op) as Op,
    );
  }

  /** True if it freed these bytes, read from outside. */
  hasFreed(sha256: string): boolean {
    const store = this.running?.store;
    return (
      store?.database.open === true &&
      store.database.prepare<[string]>('SELECT 1 FROM freed WHERE sha256 = ?').get(sha256) !== undefined
    );
  }

  /** Bytes stored under a hash, read from outside. */
  bytesOf(sha256: string): Uint8Array | undefined {
    for (const [name, { content, length }] of this.#disk.files)
      if (name.startsWith('/edge/home/blobs/') && name.endsWith(`/${sha256}`)) return content.subarray(0, length);
    return undefined;
  }
}

/** In-memory box state for sessions, clock and reference data. */
function stateOf({ settings, sessions, references, signedIn }: Kept): BoxState {
  const state = {
    setting: (key: string) => settings.get(key),
    setSetting: (key: string, value: string) => void settings.set(key, value),
    settingOrCreate: (key: string, make: () => string) => {
      const value = settings.get(key) ?? make();
      settings.set(key, value);
      return value;
    },
    pairDevice: () => undefined,
    device: () => undefined,
    deviceKey: () => undefined,
    saveDeviceKey: () => undefined,
    bindSession: (hash: string, key: string) => {
      const session = sessions.get(hash);
      if (session !== undefined) sessions.set(hash, { ...session, key });
    },
    hasKeyedSignIn: () => false,
    saveSignIn: (deviceId: string, uid: string, person: string) => void signedIn.set(`${deviceId} ${uid}`, person),
    signInOn: (deviceId: string, uid: string) => signedIn.get(`${deviceId} ${uid}`),
    session: (hash: string) => sessions.get(hash),
    addSession: (row: SessionRow) => void sessions.set(row.hash, row),
    updateSession: (hash: string, deviceId: string, person: string | null) => {
      const session = sessions.get(hash);
      if (session !== undefined) sessions.set(hash, { ...session, deviceId, person });
    },
    reference: (name: string) => references.get(name),
    references: () => [...references.values()],
    putReference: (row: ReferenceRow) => void references.set(row.name, row),
  } satisfies Partial<BoxState>;
  return state as unknown as BoxState;
}
