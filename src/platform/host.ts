/**
 * All dependencies of the tablet's code on its environment; the browser's is in `browser-host.ts`, tests, voyage and
 * simulator supply their own.
 */
export interface TabletHost {
  readonly clock: Clock;
  readonly timers: Timers;
  /** n random bytes, fit for ids and nonces. */
  readonly randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
  /** Lower-case hex SHA-256 of bytes or of a text's UTF-8. */
  readonly sha256: (of: Uint8Array<ArrayBuffer> | Blob | string) => Promise<string>;
  /**
   * Verifies an Ed25519 signature (base64url) over a text's UTF-8 bytes; false for a malformed one. Concurrent calls
   * may be batched.
   */
  readonly verifySignature: (key: { readonly x: string }, sig: string, text: string) => Promise<boolean>;
  readonly deviceKeys: DeviceKeys;
  readonly locks: Locks;
  /** Opens a channel to the other tabs of this origin, never to its own; messages may be lost. */
  readonly channel: (name: string, onWord: (value: unknown) => void) => Channel;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Creates a socket.io client without connecting it; the library loads on first use. */
  readonly openSocket: (origin: string, path: string) => Promise<SocketClient>;
  readonly idb: { readonly factory: IDBFactory; readonly keyRange: typeof IDBKeyRange };
  readonly network: NetworkStatus;
  readonly storage: StorageQuota;
  readonly log: Log;
}

/** Ed25519 keys of this device; the private half never leaves the browser. */
export interface DeviceKeys {
  /** Makes a key; undefined if the browser has no Ed25519 or could not make one now. */
  readonly generate: () => Promise<DeviceKeyPair | undefined>;
  /** Signs a text's UTF-8 bytes; base64url. */
  readonly sign: (privateKey: DeviceKeyPair['privateKey'], text: string) => Promise<string>;
}

export interface DeviceKeyPair {
  /** `x` of the public key, base64url. */
  readonly x: string;
  /** Not extractable; a structured clone carries it, so IndexedDB stores it. */
  readonly privateKey: unknown;
}

export interface Clock {
  /**
   * ms since the epoch by this device's clock, which a person or network may set years off at any time. For display,
   * never for waiting.
   */
  readonly now: () => number;
  /** Monotonic ms since an arbitrary moment. */
  readonly elapsed: () => number;
}

export interface Timers {
  /** Calls back once after `ms`; the returned function cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** Web Locks: one holder per name across all tabs of an origin. */
export interface Locks {
  /**
   * Waits for the lock and runs `work` while holding it. `signal` cancels the wait (the promise rejects with its
   * reason).
   */
  readonly hold: <Value>(name: string, signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>;
}

/** BroadcastChannel: values that a structured clone carries. */
export interface Channel {
  readonly post: (value: unknown) => void;
  readonly close: () => void;
}

export interface SocketClient {
  readonly connected: boolean;
  /** Packets waiting for a connection; emptied on disconnect, so that nothing is sent twice. */
  sendBuffer: unknown[];
  readonly connect: () => unknown;
  readonly disconnect: () => unknown;
  readonly emit: (event: string, ...args: unknown[]) => unknown;
  readonly on: (event: string, listener: (...args: never[]) => void) => unknown;
}

interface NetworkStatus {
  /** False only if the device is sure to have no network. */
  readonly online: () => boolean;
  readonly onChange: (listener: () => void) => () => void;
}

export interface StorageQuota {
  /** False also where the browser cannot promise it. */
  readonly persisted: () => Promise<boolean>;
  readonly persist: () => Promise<boolean>;
  /** Bytes; null if the browser does not report them. */
  readonly estimate: () => Promise<{ used: number | null; quota: number | null }>;
  /** Small value outside IndexedDB (in localStorage) that reveals emptied storage. */
  readonly marker: { readonly read: () => string | null; readonly write: (value: string) => void };
}

export interface Log {
  readonly note: (
    level: 'info' | 'warn' | 'error',
    message: string,
    details?: Readonly<Record<string, unknown>>,
  ) => void;
  /** Latest entries, oldest first (1§9: "Log history 100"). */
  readonly entries: () => readonly LogEntry[];
  readonly onNote: (listener: (entry: LogEntry) => void) => () => void;
}

export interface LogEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
