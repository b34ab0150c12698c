// Process that runs the box's append store, and a bare SQLite file for comparison, on request.
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SqliteAppendStore } from '../../../edge-server/store/sqlite-append-store';
import type { Op } from '../../../src/domain/op/op';
import { blobOf } from '../../../src/protocol/receipt';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { makeOps } from './census-ops';

/** Requests to the worker. Each returns `{seconds}`. */
export type AppendTask =
  /** Appends, with `inFlight` of them pending at any time. */
  | { readonly task: 'append'; readonly count: number; readonly inFlight: number }
  /** Appends `count` operations to a new store, as many at a time as there are. */
  | { readonly task: 'store'; readonly count: number }
  /** Inserts the rows of such a store into an empty file of the same shape, in transactions as large as the store's. */
  | { readonly task: 'raw'; readonly count: number };

const FOLDER = process.env['BENCH_FOLDER'] ?? '';
/** Maximum rows per transaction of the store. */
const ROWS_A_COMMIT = 256;

const signer = await ReceiptSigner.open(path.join(FOLDER, 'signer.json'));
const standing = open('standing');

function open(name: string): SqliteAppendStore {
  const fail = (error: Error) => {
    throw error;
  };
  return SqliteAppendStore.open({
    folder: mkdtempSync(path.join(FOLDER, `${name}-`)),
    signer,
    onFatal: fail,
    report: (message) => fail(new Error(message)),
  });
}

async function append(store: SqliteAppendStore, ops: readonly Op[], inFlight: number): Promise<number> {
  const rest = ops[Symbol.iterator]();
  const work = async () => {
    for (const op of rest) {
      const blob = blobOf(op);
      await store.append(op, { by: null, ...(blob && { blob }) });
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  return (performance.now() - start) / 1000;
}

async function filled(ops: readonly Op[]): Promise<{ store: SqliteAppendStore; seconds: number }> {
  const store = open('fold');
  return { store, seconds: await append(store, ops, ops.length) };
}

async function remove(store: SqliteAppendStore): Promise<void> {
  const folder = path.dirname(store.database.name);
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Tables that an append writes, each with an order similar to arrival. */
const ARRIVAL = {
  ops: 'seq',
  feed: 'seq',
  docs: 'rowid',
  image_blobs: 'substr(sha256, 9)',
  counters: 'substr(id, 5)',
} as const;
const TABLES = Object.keys(ARRIVAL) as (keyof typeof ARRIVAL)[];

async function raw(ops: readonly Op[]): Promise<number> {
  const { store } = await filled(ops);
  const shape = store.database
    .prepare<[], { sql: string }>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all();
  // Random order for every index, as operations arrive: rows sorted by key insert faster.
  const rows = TABLES.map((name) => ({
    name,
    rows: store.database.prepare(`SELECT * FROM ${name} ORDER BY ${ARRIVAL[name]}`).raw().all() as unknown[][],
  }));
  await remove(store);
  const folder = mkdtempSync(path.join(FOLDER, 'raw-'));
  const database = new Database(path.join(folder, 'raw.sqlite'));
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'temp_store = MEMORY',
    'cache_size = -32000',
    'wal_autocheckpoint = 2000',
  ])
    database.pragma(pragma);
  for (const { sql } of shape) database.exec(sql);
  const inserts = rows.map(({ name, rows: [first = []] }) =>
    database.prepare(`INSERT INTO ${name} VALUES (${first.map(() => '?').join()})`),
  );
  const start = performance.now();
  for (let from = 0; from < ops.length; from += ROWS_A_COMMIT) {
    database.exec('BEGIN IMMEDIATE');
    rows.forEach(({ rows: all }, table) => {
      for (const row of all.slice(from, from + ROWS_A_COMMIT)) inserts[table]!.run(...row);
    });
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - start) / 1000;
  database.close();
  rmSync(folder, { recursive: true });
  return seconds;
}

async function perform(task: AppendTask): Promise<number> {
  const ops = makeOps(task.count);
  switch (task.task) {
    case 'append':
      return append(standing, ops, task.inFlight);
    case 'store': {
      const { store, seconds } = await filled(ops);
      await remove(store);
      return seconds;
    }
    case 'raw':
      return raw(ops);
  }
}

process.on('message', (task: AppendTask) => {
  void perform(task).then((seconds) => process.send?.({ seconds }));
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true });
