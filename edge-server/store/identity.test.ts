import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloudReceipt, surveyOp } from '../../tests/conformance/ops';
import { checkReceiptSignature } from '../../src/protocol/receipt';
import { ReceiptSigner, verifySignature } from '../../src/server/ops/receipt-signer';
import { SqliteAppendStore } from './sqlite-append-store';

let folder: string;
let signer: ReceiptSigner;
const reports: string[] = [];
const opened: SqliteAppendStore[] = [];
const FACTS = { by: null };
const record = () => path.join(folder, 'census.sqlite');
const note = () => path.join(folder, 'keys', 'node.json');

function open(restored = false): SqliteAppendStore {
  const store = SqliteAppendStore.open({
    folder,
    signer,
    restored,
    report: (text) => reports.push(text),
    onFatal: (error) => {
      throw error;
    },
  });
  opened.push(store);
  return store;
}

const second = () => surveyOp(2, { docId: 'Survey0000000002' });

/** Creates a box that stored one operation, was backed up, and then stored another one. */
async function withBackup(): Promise<{ nodeId: string; storeEpoch: string; restore: () => void }> {
  const store = open();
  await store.append(surveyOp(1), FACTS);
  await store.close();
  fs.copyFileSync(record(), `${record()}.backup`);
  const more = open();
  await more.append(second(), FACTS);
  await more.close();
  return { ...more.identity, restore: () => fs.copyFileSync(`${record()}.backup`, record()) };
}

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'reef-identity-'));
  signer = await ReceiptSigner.open(path.join(folder, 'keys', 'receipts.json'));
  reports.length = 0;
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  fs.rmSync(folder, { recursive: true });
});

describe('protocol: the identity of a box outlives its record', () => {
  it('protocol: storeEpoch: a recreated record has another epoch and the same identity', async () => {
    const store = open();
    await store.close();
    fs.writeFileSync(record(), 'x'.repeat(5000));
    const again = open();
    expect(again.identity.nodeId).toBe(store.identity.nodeId);
    expect(again.identity.storeEpoch).not.toBe(store.identity.storeEpoch);
    await again.close();
    expect(open().identity, 'and stays so').toEqual(again.identity);
  });

  it('protocol: storeEpoch: a restored older copy gets a new epoch and refetches what is missing', async () => {
    const { nodeId, storeEpoch, restore } = await withBackup();
    restore();
    const again = open();
    expect(again.identity.nodeId).toBe(nodeId);
    expect(again.identity.storeEpoch).not.toBe(storeEpoch);
    expect(reports.join()).toMatch(/begins a new epoch.*ends at entry 1, and this box had come to entry 2/);
    const receipt = await again.append(surveyOp(1), FACTS);
    expect(receipt).toMatchObject({ seq: 1, nodeId, storeEpoch: again.identity.storeEpoch });
    await checkReceiptSignature(receipt, signer.publicKeys, verifySignature);
    expect(await again.append(second(), FACTS)).toMatchObject({ seq: 2, storeEpoch: again.identity.storeEpoch });
    await again.close();
    expect(open().identity, 'noticed once').toEqual(again.identity);
  });

  it('protocol: storeEpoch: a copy from before the last epoch is detected too', async () => {
    const { storeEpoch, restore } = await withBackup();
    restore();
    const middle = open();
    await middle.close();
    restore();
    const database = new Database(record());
    const left = database
      .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'storeEpoch'")
      .get()?.value;
    database.close();
    expect(left).toBe(storeEpoch);
    const again = open();
    expect([storeEpoch, middle.identity.storeEpoch]).not.toContain(again.identity.storeEpoch);
  });

  it('protocol: storeEpoch: a manual new epoch keeps the cloud receipts', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    await store.addReceipts([cloudReceipt(surveyOp(1), 1)]);
    await store.close();
    const again = open(true);
    expect(again.identity.nodeId).toBe(store.identity.nodeId);
    expect(again.identity.storeEpoch).not.toBe(store.identity.storeEpoch);
    const { entries } = await again.changes({ since: 0, limit: 10 });
    expect(entries.map(({ receipt }) => receipt?.storeEpoch)).toEqual([
      again.identity.storeEpoch,
      cloudReceipt(surveyOp(1), 1).storeEpoch,
    ]);
    expect(again.database.prepare('SELECT ashore FROM ops').pluck().all()).toEqual([1]);
  });

  it('protocol: unreadable or missing identity files change nothing', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    await store.close();
    for (const damage of [() => fs.writeFileSync(note(), '{'), () => fs.rmSync(note())]) {
      damage();
      const again = open();
      expect(again.identity).toEqual(store.identity);
      await again.close();
      expect(JSON.parse(fs.readFileSync(note(), 'utf8'))).toMatchObject({ nodeId: store.identity.nodeId, lastSeq: 1 });
    }
  });

  it('protocol: a killed box stores no identity newer than its database', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    const copy = fs.mkdtempSync(path.join(tmpdir(), 'reef-identity-copy-'));
    fs.cpSync(folder, copy, { recursive: true });
    await store.close();
    const { identity } = SqliteAppendStore.open({
      folder: copy,
      signer,
      report: (text) => reports.push(text),
      onFatal: () => undefined,
    });
    expect(identity).toEqual(store.identity);
    expect(reports).toEqual([]);
    fs.rmSync(copy, { recursive: true });
  });
});
