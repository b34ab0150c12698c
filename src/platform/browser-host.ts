import { releaseBusyLocks } from './busy';
import { browserDeviceKeys } from './device-keys';
import type { Channel, Log, SocketClient, TabletHost } from './host';
import { PageSuspension } from './page-suspension';
import { browserStorage } from './storage-quota';
import { suspendableIdb } from './suspendable-idb';
import { suspendableLocks } from './suspendable-locks';

/**
 * Browser implementation of the tablet host, once a page: what is opened here ends when the browser puts the page away.
 * Call it only if {@link captureSupport} is `ready`.
 * @param log of the app, created earlier
 */
export function browserHost(log: Log): Omit<TabletHost, 'verifySignature'> {
  const suspension = new PageSuspension();
  suspension.follow(window, () => window.location.reload());
  suspension.onSuspend(releaseBusyLocks);
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
    locks: suspendableLocks(navigator.locks, suspension),
    channel: (name, onMessage) => openChannel(name, onMessage, suspension),
    fetch: (url, init) => fetch(url, init),
    openSocket: async (origin, path) => {
      const { io } = await import('socket.io-client');
      const socket = io(origin, {
        path,
        autoConnect: false,
        reconnection: false,
        forceNew: true,
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
      });
      let remove = (): void => undefined;
      socket.on('connect', () => (remove = suspension.onSuspend(() => socket.disconnect())));
      socket.on('disconnect', () => remove());
      return socket as unknown as SocketClient;
    },
    idb: { factory: suspendableIdb(indexedDB, suspension), keyRange: IDBKeyRange },
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
    storage: browserStorage((navigator as Partial<Navigator>).storage, localStorage),
    log,
  };
}

function openChannel(name: string, onMessage: (value: unknown) => void, suspension: PageSuspension): Channel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => onMessage(data));
  const remove = suspension.onSuspend(() => channel.close());
  return {
    post: (value) => {
      if (!suspension.isSuspended) channel.postMessage(value);
    },
    close: () => {
      remove();
      channel.close();
    },
  };
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
