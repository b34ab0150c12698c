import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SqliteAppendStore } from '../../edge-server/store/sqlite-append-store';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { appendStoreConformance } from './append-store';

appendStoreConformance('SQLite append store', async ({ now } = {}) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-append-'));
  const signer = await ReceiptSigner.open(path.join(folder, 'keys', 'receipt.json'));
  const open = (): SqliteAppendStore =>
    SqliteAppendStore.open({
      folder: path.join(folder, 'store'),
      signer,
      report: () => undefined,
      onFatal: (error) => {
        throw error;
      },
      ...(now ? { now } : {}),
    });
  let store = open();
  return {
    store,
    keys: signer.publicKeys,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async dispose() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
