import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import vectors from '../../../tests/fixtures/protocol-v1.json';
import type { PublicKey, Receipt } from '../../protocol/receipt';
import { checkReceiptSignature, signedText } from '../../protocol/receipt';
import { ReceiptSigner, verifySignature } from './receipt-signer';

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'reef-signer-'));
  file = path.join(folder, 'keys', 'receipt.json');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const { sig: _sig, kid: _kid, ...unsigned } = vectors.receipt.receipt as unknown as Receipt;

describe('protocol: receipts and keys', () => {
  it.each([vectors.receipt.receipt, vectors.receipt.quarantined])(
    'the vector’s signature holds, and no other text has it ($opId)',
    (receipt) => {
      const key = vectors.receipt.publicKey as unknown as PublicKey;
      const text = signedText(receipt as unknown as Receipt);
      expect(verifySignature(key, receipt.sig, text)).toBe(true);
      expect(verifySignature(key, receipt.sig, `${text} `)).toBe(false);
      expect(verifySignature(key, receipt.sig.slice(2), text)).toBe(false);
      expect(verifySignature({ ...key, x: 'short' }, receipt.sig, text)).toBe(false);
    },
  );

  it('a key survives restarts, in a file for its owner alone', async () => {
    const signer = await ReceiptSigner.open(file);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const again = await ReceiptSigner.open(file);
    expect(again.publicKeys).toEqual(signer.publicKeys);
    expect(again.signReceipt(unsigned as never)).toEqual(signer.signReceipt(unsigned as never));
    await checkReceiptSignature(again.signReceipt(unsigned as never), signer.publicKeys, verifySignature);
  });

  it('an old public key stays published, and its private half is deleted', async () => {
    const old = await ReceiptSigner.open(file);
    const receipt = old.signReceipt(unsigned as never);
    const signer = await ReceiptSigner.rotate(file);
    expect(signer.kid).not.toBe(old.kid);
    expect(signer.publicKeys).toEqual([signer.publicKey, old.publicKey]);
    await checkReceiptSignature(receipt, (await ReceiptSigner.open(file)).publicKeys, verifySignature);
    expect(fs.readFileSync(file, 'utf8').match(/"d":/g)).toHaveLength(1);
  });

  it('two files hold two keys: receipts and traces never share one', async () => {
    const trace = await ReceiptSigner.open(path.join(folder, 'keys', 'trace.json'));
    expect(trace.kid).not.toBe((await ReceiptSigner.open(file)).kid);
  });

  it('a broken key file is an error, never a new key', async () => {
    await ReceiptSigner.open(file);
    fs.truncateSync(file, 40);
    await expect(ReceiptSigner.open(file)).rejects.toThrow(/receipt\.json cannot be read/);
    expect(fs.statSync(file).size).toBe(40);
    for (const keys of [
      { v: 1, active: 'a', keys: [{ kid: 'b', x: 'AA' }] },
      { v: 1, active: 'a', keys: [{ kid: 'a', x: 'AA', d: 'AA' }] },
    ]) {
      fs.writeFileSync(file, JSON.stringify(keys));
      await expect(ReceiptSigner.open(file)).rejects.toThrow(/receipt\.json cannot be read/);
    }
  });

  it('a key file that others could read is closed to them', async () => {
    await ReceiptSigner.open(file);
    fs.chmodSync(file, 0o644);
    await ReceiptSigner.open(file);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });
});
