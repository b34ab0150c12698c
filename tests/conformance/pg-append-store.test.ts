import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectDatabase } from '../../cloud-sync/api/postgres/connect';
import { PgAppendStore } from '../../cloud-sync/api/store/pg-append-store';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { DATABASE_SERVERS, reusedDatabase } from '../support/postgres/postgres';
import { appendStoreConformance } from './append-store';

for (const [name, kind] of DATABASE_SERVERS)
  appendStoreConformance(
    `PostgreSQL append store on ${name}`,
    async ({ now } = {}) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'reef-append-'));
      const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
      const database = await reusedDatabase(kind);
      const open = async () => {
        const connected = await connectDatabase({
          databaseUrl: database.url,
          home: folder,
          report: () => undefined,
          connections: 3,
        });
        const store = await PgAppendStore.open({
          database: connected,
          signer,
          report: () => undefined,
          ...(now ? { now } : {}),
        });
        return { connected, store };
      };
      const shut = async ({ connected, store }: Awaited<ReturnType<typeof open>>): Promise<void> => {
        await store.close();
        await connected.close();
      };
      let opened = await open();
      return {
        store: opened.store,
        keys: signer.publicKeys,
        async reopen() {
          await shut(opened);
          opened = await open();
          return opened.store;
        },
        async dispose() {
          await shut(opened);
          await database.close();
          await rm(folder, { recursive: true });
        },
      };
    },
    { scopes: 'ashore' },
  );
