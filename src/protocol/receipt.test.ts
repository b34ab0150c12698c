import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import vectors from '../../tests/fixtures/protocol-v1.json';
import { ReefError } from '../domain/errors';
import type { OpId, Sha256 } from '../domain/ids';
import { parseOp } from '../domain/op/op';
import { checkOpHash } from './hash';
import type { PublicKey, Receipt, VerifySignature } from './receipt';
import {
  blobOf,
  checkReceiptMatches,
  checkReceiptSignature,
  publicKeySchema,
  receiptSchema,
  signedText,
} from './receipt';

const key: PublicKey = publicKeySchema.parse({ ...vectors.receipt.publicKey, kid: 'k1' });
const receipt = receiptSchema.parse(vectors.receipt.receipt);
const quarantined = receiptSchema.parse(vectors.receipt.quarantined);

const ed25519: VerifySignature = ({ kty, crv, x }, sig, text) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
    Buffer.from(sig, 'base64url'),
  );

async function codeOf(work: () => void | Promise<void>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ReefError) return [error.code, error.details['field']];
    throw error;
  }
  return 'holds';
}

const check = (candidate: Receipt, keys: readonly PublicKey[] = [key]) =>
  codeOf(() => checkReceiptSignature(candidate, keys, ed25519));

describe('protocol vectors: receipts', () => {
  it.each([
    ['accepted', receipt],
    ['quarantined', quarantined],
  ])('protocol: receipts: the %s receipt of the vectors verifies with Ed25519', async (_name, candidate) => {
    expect(await check(candidate)).toBe('holds');
  });

  it.each(Object.keys(vectors.receipt.quarantined).filter((member) => member !== 'sig' && member !== 'kid'))(
    'protocol: receipts: a changed %s does not verify',
    async (member) => {
      const value = quarantined[member];
      const changed =
        typeof value === 'boolean'
          ? !value
          : typeof value === 'number'
            ? value + 1
            : typeof value === 'string'
              ? `${value}0`
              : { ...(value as object), bytes: 2 };
      expect(await check({ ...quarantined, [member]: changed } as Receipt)).toEqual(['receipt-mismatch', 'sig']);
    },
  );

  it('protocol: receipts: an added or removed member breaks the signature', async () => {
    const { reason: _reason, ...without } = quarantined;
    expect(await check(without as Receipt)).toEqual(['receipt-mismatch', 'sig']);
    expect(await check({ ...receipt, note: 'x' })).toEqual(['receipt-mismatch', 'sig']);
  });

  it('protocol: receipts: one receipt is not another, nor is a torn signature one', async () => {
    for (const sig of [quarantined.sig, receipt.sig.slice(0, -4), '', '!', receipt.sig.toUpperCase()])
      expect(await check({ ...receipt, sig })).toEqual(['receipt-mismatch', 'sig']);
  });

  it('protocol: receipts: the order of members does not matter', async () => {
    const reversed = Object.fromEntries(Object.entries(receipt).reverse()) as Receipt;
    expect(signedText(reversed)).toBe(signedText(receipt));
    expect(await check(reversed)).toBe('holds');
  });

  it('protocol: receipts: only pinned keys count, by kid; old and new keys work together', async () => {
    const pair = generateKeyPairSync('ed25519');
    const jwk = pair.publicKey.export({ format: 'jwk' });
    const other = publicKeySchema.parse({ ...jwk, kid: 'k2' });
    expect(await check(receipt, [])).toEqual(['receipt-mismatch', 'kid']);
    expect(await check(receipt, [other])).toEqual(['receipt-mismatch', 'kid']);
    expect(await check(receipt, [{ ...other, kid: 'k1' }])).toEqual(['receipt-mismatch', 'sig']);
    expect(await check(receipt, [other, key])).toBe('holds');
    const { sig: _sig, ...rest } = { ...receipt, kid: 'k2' };
    const resigned = {
      ...rest,
      sig: sign(null, Buffer.from(signedText(rest as Receipt)), pair.privateKey).toString('base64url'),
    } as Receipt;
    expect(await check(resigned, [other, key])).toBe('holds');
    expect(await check(resigned, [key])).toEqual(['receipt-mismatch', 'kid']);
  });
});

describe('protocol: receipts are compared with what was sent', () => {
  const blob = { sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' as Sha256, bytes: 1 };
  const image = parseOp({
    v: 1,
    opId: 'DeviceAAAAAAAAAA-30',
    kind: 'image',
    docId: 'Image00000000001',
    madeAt: '2026-11-20T00:00:01.000Z',
    schema: 1,
    body: { id: 'Image00000000001', ...blob },
    sha256: quarantined.sha256,
  });
  const isFor = (candidate: Receipt, sent = blobOf(image)) => codeOf(() => checkReceiptMatches(candidate, image, sent));

  it('protocol: receipts: five equal members make a match', async () => {
    expect(blobOf(image)).toEqual(blob);
    expect(await isFor(quarantined)).toBe('holds');
  });

  it.each([
    ['opId', { opId: 'DeviceAAAAAAAAAA-31' as OpId }],
    ['kind', { kind: 'survey' as const }],
    ['docId', { docId: 'Image00000000002' }],
    ['sha256', { sha256: 'b'.repeat(64) }],
    ['blob', { blob: { ...blob, bytes: 2 } }],
    ['blob', { blob: { ...blob, sha256: 'b'.repeat(64) } }],
    ['blob', { stage: 'cloud', blob: undefined }],
  ])('protocol: receipts: another %s is receipt-mismatch', async (field, change) => {
    expect(await isFor({ ...quarantined, accepted: true, ...change } as Receipt)).toEqual(['receipt-mismatch', field]);
  });

  it('protocol: receipts: a refusal may omit the bytes, and named bytes are compared', async () => {
    const { blob: _blob, ...without } = quarantined;
    expect(quarantined.accepted).toBe(false);
    expect(await isFor(without as Receipt)).toBe('holds');
    expect(await isFor({ ...quarantined, blob: { ...blob, bytes: 2 } })).toEqual(['receipt-mismatch', 'blob']);
  });

  it('protocol: receipts: a receipt naming bytes where none were sent is receipt-mismatch', async () => {
    expect(await codeOf(() => checkReceiptMatches(quarantined, image))).toEqual(['receipt-mismatch', 'blob']);
  });

  it.each([
    ['no stage', { stage: 'moon' }],
    ['accepted as a text', { accepted: 'true' }],
    ['seq of nought', { seq: 0 }],
    ['no signature', { sig: undefined }],
    ['empty bytes', { blob: { ...blob, bytes: 0 } }],
  ])('protocol: receipts: %s is not a receipt', (_name, change) => {
    expect(receiptSchema.safeParse({ ...quarantined, ...change }).success).toBe(false);
  });

  it('protocol: receipts: members of a newer node survive', () => {
    expect(receiptSchema.parse({ ...receipt, region: 'x' })).toMatchObject({ region: 'x' });
  });
});

describe('protocol: the hash of an operation', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const op = parseOp(vectors.fold[0]!.ops[0]);

  it('protocol: the hash matches the body in any order of its members', async () => {
    expect(await codeOf(() => checkOpHash(op, hash))).toBe('holds');
    expect(
      await codeOf(() => checkOpHash({ ...op, body: Object.fromEntries(Object.entries(op.body).reverse()) }, hash)),
    ).toBe('holds');
  });

  it('protocol: hash-mismatch names the operation', async () => {
    expect(await codeOf(() => checkOpHash({ ...op, body: { ...op.body, name: 'x' } }, hash, 'ops.3'))).toEqual([
      'hash-mismatch',
      'ops.3.sha256',
    ]);
  });
});
