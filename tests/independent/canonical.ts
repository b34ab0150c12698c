/**
 * Canonical JSON, hashes and receipts, written from docs/protocol.md alone: no project code, so that a mistake in
 * src/protocol cannot agree with itself.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type JsonWebKey } from 'node:crypto';

/** JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** JSON object. */
export type JsonObject = { [key: string]: Json };

/** RFC 8785: keys in the order of their UTF-16 code units, ECMAScript's own numbers and strings, no white space. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('a lone surrogate has no canonical form');
    return JSON.stringify(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('a number that is not finite has no canonical form');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Operation on the wire (protocol, One write path). */
export interface Op {
  v: 1;
  opId: string;
  kind: 'profile' | 'survey' | 'image' | 'analysis';
  docId: string;
  by?: string;
  lc?: number;
  over?: { [field: string]: string[] };
  madeAt: string;
  schema: number;
  body: JsonObject;
  sha256: string;
}

/** Receipt (protocol, Receipts and keys). */
export interface Receipt {
  v: 1;
  stage: 'edge' | 'cloud';
  nodeId: string;
  storeEpoch: string;
  opId: string;
  kind: string;
  docId: string;
  sha256: string;
  blob?: { sha256: string; bytes: number };
  accepted: boolean;
  reason?: string;
  seq: number;
  storedAt: string;
  kid: string;
  sig: string;
}

/** Answer of a device's key to the challenge of a box. */
export function deviceAnswer(deviceKey: JsonWebKey, node: string, challenge: string): string {
  const text = canonicalJson({ v: 1, for: 'reef-device', node, challenge, key: deviceKey.x ?? '' });
  return sign(null, Buffer.from(text), createPrivateKey({ key: deviceKey, format: 'jwk' })).toString('base64url');
}

/** Fault of a receipt for this op under this key; undefined if none. An unverified receipt frees nothing. */
export function receiptFault(receipt: Receipt, op: Op, key: JsonWebKey, storeEpoch: string): string | undefined {
  const { sig, ...rest } = receipt;
  if (key['kid'] !== undefined && receipt.kid !== key['kid'])
    return `the receipt names key ${receipt.kid}, pinned is ${String(key['kid'])}`;
  const signed = Buffer.from(canonicalJson(rest as unknown as Json), 'utf8');
  if (!verify(null, signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(sig, 'base64url')))
    return 'the signature does not verify';
  if (receipt.stage !== 'edge') return `the stage is ${receipt.stage}`;
  if (receipt.storeEpoch !== storeEpoch) return 'the receipt is of another store';
  for (const field of ['opId', 'kind', 'docId', 'sha256'] as const) {
    if (receipt[field] !== op[field]) return `${field} is ${receipt[field]}, sent was ${op[field]}`;
  }
  if (op.kind === 'image') {
    if (receipt.blob?.sha256 !== op.body['sha256'] || receipt.blob?.bytes !== op.body['bytes'])
      return 'the blob is not the one sent';
  }
  return undefined;
}
