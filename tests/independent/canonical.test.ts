import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalJson, receiptFault, sha256, type Json, type Op, type Receipt } from './canonical';

const here = new URL('.', import.meta.url);
const vectors = JSON.parse(readFileSync(new URL('../fixtures/protocol-v1.json', here), 'utf8')) as {
  canonical: { json: string; canonical: string; sha256: string }[];
  receipt: { receipt: Receipt; publicKey: { x: string; kty: string; crv: string } };
};

describe('the independent client', () => {
  it('protocol: canonical JSON and its hash agree with the vectors', () => {
    for (const one of vectors.canonical) {
      expect(canonicalJson(JSON.parse(one.json) as Json)).toBe(one.canonical);
      expect(sha256(one.canonical)).toBe(one.sha256);
    }
    expect(() => canonicalJson('\ud800')).toThrow('lone surrogate');
  });

  it('protocol: receipts of the vectors verify, and any changed field is detected', () => {
    const { receipt, publicKey } = vectors.receipt;
    const op = { opId: receipt.opId, kind: 'survey', docId: receipt.docId, sha256: receipt.sha256 } as Op;
    expect(receiptFault(receipt, op, publicKey, receipt.storeEpoch)).toBeUndefined();
    expect(receiptFault({ ...receipt, seq: 2 }, op, publicKey, receipt.storeEpoch)).toContain('signature');
    expect(receiptFault(receipt, { ...op, opId: 'DeviceAAAAAAAAAA-2' }, publicKey, receipt.storeEpoch)).toContain(
      'opId',
    );
    expect(receiptFault(receipt, op, publicKey, 'Epoch00000000009')).toContain('another store');
    expect(receiptFault(receipt, op, { ...publicKey, kid: 'k9' }, receipt.storeEpoch)).toContain('names key');
  });

  it('uses the page alone: its imports are Node, socket.io-client and itself', () => {
    for (const name of readdirSync(here).filter((file) => !file.endsWith('.test.ts'))) {
      for (const [, from] of readFileSync(new URL(name, here), 'utf8').matchAll(/from '([^']+)'/g))
        expect(from).toMatch(/^(node:.*|socket\.io-client|\.\/[a-z]+)$/);
    }
  });
});
