/**
 * Recorder of one version for later versions. `scripts/record-version.mjs` copies this file into a checkout of that
 * version and runs it there, so all its imports are that version's. It writes into the given folder: the tablet's
 * databases, the box's home, the box's feed, and what a person saw (`expected.json`).
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { startEdge } from '../servers/edge';
import type { Origin } from '../tablet/tablet';
import { newOrigin, openTestTablet, photograph, until } from '../tablet/tablet';

const out = process.argv[2] ?? '';
const PHOTOGRAPH_BYTES = 3_000;

/** Converts a value of IndexedDB to JSON: anything else becomes `{$: what, …}`. */
async function plain(value: unknown): Promise<unknown> {
  if (value === undefined) return { $: 'undefined' };
  if (value instanceof Blob)
    return { $: 'blob', type: value.type, base64: Buffer.from(await value.arrayBuffer()).toString('base64') };
  if (value instanceof Date) return { $: 'date', at: value.toISOString() };
  if (value instanceof Uint8Array) return { $: 'bytes', base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return Promise.all(value.map(plain));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`a ${value.constructor.name} cannot be recorded`);
  return Object.fromEntries(
    await Promise.all(Object.entries(value).map(async ([key, member]) => [key, await plain(member)] as const)),
  );
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}

/** Every database of an origin: its stores, their indexes and rows. */
async function databasesOf(factory: Origin['factory']): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { name } of await factory.databases()) {
    const database = (await settled(factory.open(name ?? '') as unknown as IDBRequest)) as unknown as IDBDatabase;
    const stores: unknown[] = [];
    for (const storeName of database.objectStoreNames) {
      const store = database.transaction(storeName).objectStore(storeName);
      const indexes = [...store.indexNames]
        .map((index) => store.index(index))
        .map(({ name: of, keyPath, unique, multiEntry }) => ({ name: of, keyPath, unique, multiEntry }));
      const [keys, rows] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      stores.push({
        name: storeName,
        keyPath: store.keyPath,
        autoIncrement: store.autoIncrement,
        indexes,
        keys: store.keyPath === null ? keys : null,
        rows: await plain(rows),
      });
    }
    all.push({ name, version: database.version, stores });
    database.close();
  }
  return all;
}

function filesUnder(folder: string, base = folder): { path: string; base64: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    return entry.isDirectory()
      ? filesUnder(place, base)
      : [{ path: path.relative(base, place), base64: readFileSync(place).toString('base64') }];
  });
}

function write(name: string, value: unknown): void {
  writeFileSync(
    path.join(out, name),
    name.endsWith('.gz') ? gzipSync(JSON.stringify(value), { level: 9 }) : `${JSON.stringify(value, null, 2)}\n`,
  );
}

async function record(): Promise<void> {
  mkdirSync(out, { recursive: true });
  const edge = await startEdge();
  const origin = newOrigin();
  const tablet = await openTestTablet({ name: 'Tablet of version 1', origin, database: 'reef-ops' });
  const { repositories } = tablet;
  const listening = [repositories.custody.sending.facts.subscribe(() => undefined)];

  // Work sent to the box and receipted.
  const person = await repositories.account.people.createPending({
    name: { first: 'Ana', last: 'Tui' },
    email: 'ana@example.org',
  });
  const location = { id: '16071100104', regionId: 'gbr' as const, name: 'Moore Reef' };
  const sent = await repositories.census.surveys.add({
    name: 'Moore Reef, front',
    date: '2026-11-20',
    type: 'snorkel',
    location,
  });
  const photographs: { sha256: string; surveyId: string }[] = [];
  const add = async (seed: number, surveyId: typeof sent): Promise<void> => {
    const { sha256 } = await repositories.census.images.addPhotograph(photograph(seed, PHOTOGRAPH_BYTES), surveyId);
    photographs.push({ sha256, surveyId });
  };
  for (const seed of [1, 2, 3]) await add(seed, sent);
  await repositories.edge.link.pair(edge.url, edge.code);
  await until(() => repositories.custody.sending.facts.get().state === 'done', 'all of it on the box', 60_000);

  // Unsent work: an edit, two more photographs, a survey with one, a deletion.
  await repositories.edge.link.setOfflineByChoice(true);
  await repositories.census.surveys.edit(sent, { name: 'Moore Reef, front crest', visibility: 14 });
  for (const seed of [4, 5]) await add(seed, sent);
  const unsent = await repositories.census.surveys.add({
    name: 'Milln Reef, lee',
    date: '2026-11-21',
    type: 'scuba',
    location: { id: '16067100104', regionId: 'gbr', name: 'Milln Reef' },
  });
  await add(6, unsent);

  const deviceId = await tablet.context.store.getMeta('deviceId');
  for (const end of listening) end();
  await tablet.close();
  const feed = (await (
    await fetch(`${edge.url}/edge/changes?since=0&limit=1000`, {
      headers: { authorization: `Bearer ${edge.adminToken}` },
    })
  ).json()) as unknown;
  const surveys = (await (
    await fetch(`${edge.url}/edge/surveys`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
  ).json()) as unknown;
  const { url, nodeId, storeEpoch, adminToken } = edge;
  await edge.stop();

  write('tablet.json.gz', { marker: origin.marker, databases: await databasesOf(origin.factory) });
  write('edge-home.json.gz', { files: filesUnder(edge.home) });
  write('feed.json.gz', { feed, surveys });
  write('expected.json', {
    box: { url, nodeId, storeEpoch, adminToken },
    deviceId,
    person: person.uid,
    surveys: { sent, unsent },
    photographs,
  });
  await edge.remove();
}

await record();
