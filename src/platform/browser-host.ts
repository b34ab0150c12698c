import type { Channel, Locks, Log, SocketClient, TabletHost } from './host';

const MARKER = 'reef.store';

/** The browser's surroundings of the tablet. Call it only where {@link captureSupport} says `ready`. @param log the app's, which began before */
export function browserHost(log: Log): TabletHost {
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  return {
    clock,
    timers: {
      after: (ms, call) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
    },
    randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
    sha256,
    verifySignature,
    locks: { hold: holdLock },
    channel: openChannel,
    fetch: (url, init) => fetch(url, init),
    openSocket: async (origin, path) => {
      const { io } = await import('socket.io-client');
      return io(origin, { path, autoConnect: false, reconnection: false, forceNew: true, transports: ['websocket', 'polling'], tryAllTransports: true }) as unknown as SocketClient;
    },
    idb: { factory: indexedDB, keyRange: IDBKeyRange },
    network: {
      online: () => navigator.onLine,
      onChange: (listener) => {
        addEventListener('online', listener);
        addEventListener('offline', listener);
        return () => {
          removeEventListener('online', listener);
          removeEventListener('offline', listener);
        };
      },
    },
    storage: {
      persisted: () => navigator.storage.persisted(),
      persist: () => navigator.storage.persist(),
      estimate: async () => {
        const { usage, quota } = await navigator.storage.estimate();
        return { used: usage ?? null, quota: quota ?? null };
      },
      marker: { read: () => localStorage.getItem(MARKER), write: (value) => localStorage.setItem(MARKER, value) },
    },
    log,
  };
}

function openChannel(name: string, onWord: (value: unknown) => void): Channel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => onWord(data));
  return { post: (value) => channel.postMessage(value), close: () => channel.close() };
}

/** Lower-case hex SHA-256 of bytes or of a text's UTF-8. */
export async function sha256(of: Uint8Array<ArrayBuffer> | Blob | string): Promise<string> {
  const bytes = typeof of === 'string' ? new TextEncoder().encode(of) : of instanceof Blob ? await of.arrayBuffer() : of;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  let hex = '';
  for (const byte of digest) hex += HEX[byte] ?? '';
  return hex;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Checks an Ed25519 signature. What is no key or no signature is false; a browser that lacks Ed25519 throws, so that it is
 * not taken for a box that lies.
 */
async function verifySignature(key: { readonly x: string }, sig: string, text: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify('Ed25519', await importedKey(key.x), fromBase64url(sig), new TextEncoder().encode(text));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') throw error;
    return false;
  }
}

/** Keys that were met last: a page of a feed asks a thousand times for the same. */
const importedKeys = new Map<string, Promise<CryptoKey>>();
const KEYS_KEPT = 16;

function importedKey(x: string): Promise<CryptoKey> {
  const known = importedKeys.get(x);
  if (known !== undefined) return known;
  const imported = crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, 'Ed25519', false, ['verify']);
  for (const oldest of importedKeys.keys()) {
    if (importedKeys.size < KEYS_KEPT) break;
    importedKeys.delete(oldest);
  }
  importedKeys.set(x, imported);
  // A key that is none is asked for again, and refused again.
  imported.catch(() => importedKeys.delete(x));
  return imported;
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
}

const holdLock: Locks['hold'] = async (name, signal, work) => {
  // What a callback gives is what the request gives.
  let result: { value: Awaited<ReturnType<typeof work>> } | undefined;
  await navigator.locks.request(name, { signal }, async () => {
    result = { value: await work() };
  });
  if (result === undefined) throw new DOMException('The lock was never held.', 'AbortError');
  return result.value;
};
