/** State and options of an independent client. */
import { randomBytes, type JsonWebKey } from 'node:crypto';
import type { Op, Receipt } from './canonical';

/** Item to send: an op, the photograph of an image, and the receipt once received. */
export interface Item {
  op: Op;
  photo?: { file: string; path: string; bytes: number; sha256: string; type: string; surveyId: string };
  receipt?: Receipt;
  /** Refusal that stopped it; it stays queued and visible. */
  refused?: { code: string; message: string };
}

/** State that a client must keep over a restart. */
export interface ClientState {
  deviceId: string;
  deviceName: string;
  counter: number;
  session?: string;
  key?: JsonWebKey;
  /** Box that the client paired with. */
  nodeId?: string;
  /** Private device key. */
  deviceKey?: JsonWebKey;
  storeEpoch?: string;
  cursor: number;
  items: Item[];
}

/** Answer of `verify`. */
export interface Verified {
  protocol: number;
  edge: { id: string; name: string; storeEpoch: string };
  session: string;
  serverTime: string;
  user: { uid: string } | null;
  publicKey: JsonWebKey;
  limits: { chunkBytes: number; imageBytes: number; imagePixels: number; freeBytes: number };
  binary: string[];
}

/** Behaviour of the client; its times are the protocol's (Client behaviour) unless a test shortens them. */
export interface ClientOptions {
  url: string;
  code?: string;
  ca?: string;
  transport?: 'socket' | 'http';
  chunkBytes?: number;
  /** 1, or the protocol's maximum of 2. */
  imagesAtATime?: 1 | 2;
  receiptTimeoutMs?: number;
  retryDelayMs?: number;
  reconnectStepMs?: number;
  reconnectMaxMs?: number;
  state?: ClientState;
  save?: (state: ClientState) => void;
  log?: (line: string) => void;
  /** Called for every chunk as it leaves, so that fault tests can count. */
  onChunk?: (chunk: { docId: string; offset: number; bytes: number }) => void;
}

/** Random id of 16 characters of [0-9A-Za-z]. */
export function newId(): string {
  const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let id = '';
  while (id.length < 16)
    for (const byte of randomBytes(32)) if (byte < 248 && id.length < 16) id += letters[byte % 62] ?? '';
  return id;
}

/** Empty state for a new device. */
export function newState(deviceName = 'independent client'): ClientState {
  return { deviceId: newId(), deviceName, counter: 0, cursor: 0, items: [] };
}

/** Media type by a photograph's first bytes. */
export function mediaType(head: Uint8Array): string {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('\x89PNG')) return 'image/png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.slice(4, 8) === 'ftyp') return text.slice(8, 12).startsWith('avi') ? 'image/avif' : 'image/heic';
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'image/tiff';
  return 'image/jpeg';
}
