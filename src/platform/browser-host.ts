import { browserDeviceKeys } from './device-keys';
import type { Channel, Locks, Log, SocketClient, TabletHost } from './host';

const MARKER = 'reef.store';

/**
 * Browser implementation of the tablet host. Call it only if {@link captureSupport} is `ready`.
 * @param log of the app, created earlier
 */
export function browserHost(log: Log): Omit<TabletHost, 'verifySignature'> {
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
    deviceKeys: browserDeviceKeys,
    locks: { hold: holdLock },
    channel: openChannel,
    fetch: (url, init) => fetch(url, init),
    openSocket: async (origin, path) => {
      const { io } = await import('socket.io-client');
      return io(origin, {
        path,
        autoConnect: false,
        reconnection: false,
        forceNew: true,
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
      }) as unknown as SocketClient;
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

function openChannel(name: string, onMessage: (value: unknown) => void): Channel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => onMessage(data));
  return { post: (value) => channel.postMessage(value), close: () => channel.close() };
}

async function sha256(of: Uint8Array<ArrayBuffer> | Blob | string): Promise<string> {
  const bytes =
    typeof of === 'string' ? new TextEncoder().encode(of) : of instanceof Blob ? await of.arrayBuffer() : of;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  let hex = '';
  for (const byte of digest) hex += HEX[byte] ?? '';
  return hex;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const holdLock: Locks['hold'] = async (name, signal, work) => {
  // The request resolves to the callback's result.
  let result: { value: Awaited<ReturnType<typeof work>> } | undefined;
  await navigator.locks.request(name, { signal }, async () => {
    result = { value: await work() };
  });
  if (result === undefined) throw new DOMException('The lock was never held.', 'AbortError');
  return result.value;
};
