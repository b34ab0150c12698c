/**
 * Everything the tablet's code takes from its surroundings, in one place. The browser's stands in `browser-host.ts`; tests,
 * the voyage and the simulator give their own and run the same code.
 */
export interface TabletHost {
  readonly clock: Clock;
  readonly timers: Timers;
  /** n random bytes, fit for ids and nonces. */
  readonly randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
  /** Lower-case hex SHA-256 of bytes or of a text's UTF-8. */
  readonly sha256: (of: Uint8Array<ArrayBuffer> | Blob | string) => Promise<string>;
  /** Checks an Ed25519 signature (base64url) over a text's UTF-8 bytes; a signature that is none is false. Those asked for in one go may be checked together. */
  readonly verifySignature: (key: { readonly x: string }, sig: string, text: string) => Promise<boolean>;
  readonly locks: Locks;
  /** Opens a way to say words to the other tabs of this origin (never to oneself); a word may be lost. */
  readonly channel: (name: string, onWord: (value: unknown) => void) => Channel;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Makes a socket.io client that does not connect by itself; loaded when it is first asked for. */
  readonly openSocket: (origin: string, path: string) => Promise<SocketClient>;
  readonly idb: { readonly factory: IDBFactory; readonly keyRange: typeof IDBKeyRange };
  readonly network: NetworkStatus;
  readonly storage: StorageQuota;
  readonly log: Log;
}

export interface Clock {
  /** ms since the epoch, as this device believes; a person or a network may set it years off at any moment. To show, never to wait by. */
  readonly now: () => number;
  /** ms since some moment; never set, never goes back. */
  readonly elapsed: () => number;
}

export interface Timers {
  /** Calls back once after `ms`; the function given back calls it off. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** Web Locks: one holder of a name over all tabs of an origin. */
export interface Locks {
  /** Waits for the lock, runs `work` while holding it. `signal` gives up waiting (the promise rejects with its reason). */
  readonly hold: <Value>(name: string, signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>;
}

/** A BroadcastChannel: values that a structured clone carries. */
export interface Channel {
  readonly post: (value: unknown) => void;
  readonly close: () => void;
}

/** What is used of socket.io's client. */
export interface SocketClient {
  readonly connected: boolean;
  /** Packets that wait for a connection; emptied on disconnect, so that nothing is sent twice. */
  sendBuffer: unknown[];
  readonly connect: () => unknown;
  readonly disconnect: () => unknown;
  readonly emit: (event: string, ...args: unknown[]) => unknown;
  readonly on: (event: string, listener: (...args: never[]) => void) => unknown;
}

export interface NetworkStatus {
  /** False only when the device is sure that it has no network. */
  readonly online: () => boolean;
  readonly onChange: (listener: () => void) => () => void;
}

export interface StorageQuota {
  readonly persisted: () => Promise<boolean>;
  readonly persist: () => Promise<boolean>;
  /** Bytes. null where the browser does not say. */
  readonly estimate: () => Promise<{ used: number | null; quota: number | null }>;
  /** A small note kept apart from IndexedDB (localStorage), by which emptied storage is noticed. */
  readonly marker: { readonly read: () => string | null; readonly write: (value: string) => void };
}

export interface Log {
  readonly note: (
    level: 'info' | 'warn' | 'error',
    message: string,
    details?: Readonly<Record<string, unknown>>,
  ) => void;
  /** The latest entries, oldest first (1§9: "Log history 100"). */
  readonly entries: () => readonly LogEntry[];
  /** Calls back with each new entry; gives the way to stop. */
  readonly onNote: (listener: (entry: LogEntry) => void) => () => void;
}

export interface LogEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
