import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { MemoryAppendStore } from '../support/doubles/memory-append-store';
import { newContent } from '../support/doubles/memory-content';
import { appendStoreConformance } from './append-store';

// The simulator's own store passes the same tests as the real ones.
appendStoreConformance('the store in memory', async ({ now } = {}) => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'reef-memory-'));
  const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
  const content = newContent('edge', randomBytes);
  const open = (): MemoryAppendStore =>
    new MemoryAppendStore({ content, signer, ...(now === undefined ? {} : { now }) });
  return {
    store: open(),
    keys: signer.publicKeys,
    reopen: async () => open(),
    dispose: async () => fs.rmSync(folder, { recursive: true }),
  };
});
