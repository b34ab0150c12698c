import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { io } from 'socket.io-client';
import type { Clock, DeviceKeys, SocketClient, TabletHost, Timers } from '../../../src/platform/host';
import { createRingLog } from '../../../src/platform/ring-log';

// Dexie's live queries run only with a global `indexedDB`; the databases themselves are each tablet's.
Object.assign(Dexie.dependencies, { indexedDB: new IDBFactory(), IDBKeyRange });

/** Clock that moves only when a test says so. Due timers run in order; promises settle in between. */
export class ManualClock implements Clock, Timers {
  #time: number;
  #setOff = 0;
  #planned: { at: number; call: () => void }[] = [];

  constructor(start = Date.parse('2026-11-21T00:00:00.000Z')) {
    this.#time = start;
  }

  readonly now = (): number => this.#time + this.#setOff;

  readonly elapsed = (): number => this.#time;

  /** Sets the displayed clock, as a person or a network would; pending timers are unaffected. */
  set(ms: number): void {
    this.#setOff += ms;
  }

  readonly after = (ms: number, call: () => void): (() => void) => {
    const entry = { at: this.#time + ms, call };
    this.#planned.push(entry);
    return () => {
      this.#planned = this.#planned.filter((other) => other !== entry);
    };
  };

  /** ms until the next timer, or undefined. */
  next(): number | undefined {
    const at = Math.min(...this.#planned.map((entry) => entry.at));
    return Number.isFinite(at) ? Math.max(0, at - this.#time) : undefined;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#time + ms;
    for (;;) {
      await quiet();
      const due = this.#planned.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#planned = this.#planned.filter((other) => other !== due);
      this.#time = Math.max(this.#time, due.at);
      due.call();
    }
    this.#time = until;
    await quiet();
  }
}

/** Lets all in-memory work settle: fake-indexeddb works in immediates, live queries in short timers. */
export async function quiet(turns = 60): Promise<void> {
  for (let i = 0; i < turns; i++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (i % 20 === 19) await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

/** Web Locks across all hosts that share an instance: the tabs of one origin. */
export class InMemoryLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  readonly hold = async <Value>(name: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> => {
    const before = this.#tails.get(name) ?? Promise.resolve();
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => (release = resolve));
    this.#tails.set(
      name,
      before.then(() => mine),
    );
    let giveUp = (): void => undefined;
    const givenUp = new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(signal.reason as Error);
    });
    signal.addEventListener('abort', giveUp);
    try {
      signal.throwIfAborted();
      await Promise.race([before, givenUp]);
      signal.removeEventListener('abort', giveUp);
      return await work();
    } finally {
      signal.removeEventListener('abort', giveUp);
      release();
    }
  };
}

/** State shared by tabs of one origin: storage, locks, the note outside of IndexedDB. */
export interface Origin {
  readonly factory: IDBFactory;
  locks: InMemoryLocks;
  readonly channels: Set<{ readonly name: string; readonly onWord: (value: unknown) => void }>;
  marker: string | null;
}

export function newOrigin(): Origin {
  return { factory: new IDBFactory(), locks: new InMemoryLocks(), channels: new Set(), marker: null };
}

/** BroadcastChannel among the hosts of one origin. */
function openChannel(
  { channels }: Origin,
  name: string,
  onWord: (value: unknown) => void,
): { post: (value: unknown) => void; close: () => void } {
  const mine = { name, onWord };
  channels.add(mine);
  return {
    post: (value) => {
      const copy = structuredClone(value);
      for (const other of channels)
        if (other !== mine && other.name === name) setImmediate(() => channels.has(other) && other.onWord(copy));
    },
    close: () => channels.delete(mine),
  };
}

export interface NodeHostOptions {
  readonly origin?: Origin;
  readonly clock?: Clock & Timers;
  readonly openSocket?: TabletHost['openSocket'];
  readonly fetch?: TabletHost['fetch'];
  readonly network?: { online: boolean };
  readonly deviceKeys?: DeviceKeys;
  readonly print?: boolean;
}

const realTime: Clock & Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Host of a tablet in Node: the same code runs on it as in the browser. */
export function nodeHost(options: NodeHostOptions = {}): TabletHost {
  const origin = options.origin ?? newOrigin();
  const time = options.clock ?? realTime;
  const network = options.network ?? { online: true };
  return {
    clock: time,
    timers: time,
    randomBytes: (n) => Uint8Array.from(randomBytes(n)),
    sha256: async (of) => {
      const bytes = of instanceof Blob ? Buffer.from(await of.arrayBuffer()) : of;
      return createHash('sha256').update(bytes).digest('hex');
    },
    verifySignature: async (key, sig, text) => verifyEd25519(key.x, sig, text),
    deviceKeys: options.deviceKeys ?? nodeDeviceKeys,
    locks: { hold: origin.locks.hold },
    channel: (name, onWord) => openChannel(origin, name, onWord),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    openSocket:
      options.openSocket ??
      (async (address, path) =>
        io(address, {
          path,
          autoConnect: false,
          reconnection: false,
          transports: ['websocket'],
          forceNew: true,
        }) as unknown as SocketClient),
    idb: {
      factory: origin.factory as unknown as IDBFactory & globalThis.IDBFactory,
      keyRange: IDBKeyRange as unknown as typeof globalThis.IDBKeyRange,
    },
    network: { online: () => network.online, onChange: () => () => undefined },
    storage: {
      persisted: async () => true,
      persist: async () => true,
      estimate: async () => ({ used: null, quota: null }),
      marker: {
        read: () => origin.marker,
        write: (value) => {
          origin.marker = value;
        },
      },
    },
    log: createRingLog(time, (entry) => {
      if (options.print === true) console.log(entry.level, entry.message, entry.details ?? '');
    }),
  };
}

/** Device keys in Node; the private half is a JWK, which a structured clone carries. */
export const nodeDeviceKeys: DeviceKeys = {
  generate: async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk = privateKey.export({ format: 'jwk' });
    return { x: String(jwk.x), privateKey: jwk };
  },
  sign: async (jwk, text) =>
    sign(null, Buffer.from(text), createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })).toString('base64url'),
};

function verifyEd25519(x: string, sig: string, text: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(sig, 'base64url'));
  } catch {
    return false;
  }
}
