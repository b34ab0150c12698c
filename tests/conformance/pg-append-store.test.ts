import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { connectDatabase } from '../../cloud-sync/api/postgres/connect';
import { PgAppendStore } from '../../cloud-sync/api/store/pg-append-store';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import type { TestDatabase } from '../support/postgres/postgres';
import { DATABASE_SERVERS, testDatabase } from '../support/postgres/postgres';
import { appendStoreConformance } from './append-store';

for (const [name, kind] of DATABASE_SERVERS) {
  /** Databases that a test left, emptied: a new one costs more than most tests. */
  const free: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of free.splice(0)) await database.close();
  });

  appendStoreConformance(
    `PostgreSQL append store on ${name}`,
    async ({ now } = {}) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'reef-append-'));
      const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
      const database = free.pop() ?? (await testDatabase(kind));
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
          await emptied(database.url);
          free.push(database);
          await rm(folder, { recursive: true });
        },
      };
    },
    { scopes: 'ashore' },
  );
}

/** Empties all tables of a database but the version of its schema: the next store there starts like the first. */
async function emptied(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'schema_versions'",
    );
    await client.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY`);
  } finally {
    await client.end();
  }
}
