import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/fold/fold';
import type { Op as DomainOp } from '../../src/domain/op/op';
import { IndependentClient } from '../independent/client';
import { newState, type ClientOptions, type ClientState, type Item } from '../independent/state';
import { addVoyage, audit, tempFolder, wholeFeed } from '../support/servers/client';
import { smallDisk, type SmallDisk } from '../support/servers/small-disk';
import { runSeed, seeded } from '../support/seed';
import { startFaultEdge, startSupervised, type FaultEdge } from './edge-process';

const MB = 1024 * 1024;
const seed = runSeed();
const random = seeded(seed);
const folder = tempFolder('disk');
const photos = path.join(folder.path, 'photos');
const mounted: SmallDisk[] = [];
const edges = new Set<FaultEdge>();

beforeAll(() => {
  mkdirSync(photos);
  console.log(`full disk: seed ${seed}`);
});
afterEach(async () => {
  for (const edge of edges) await edge.stop();
  edges.clear();
  for (const disk of mounted.splice(0)) disk.remove();
});
afterAll(() => folder.remove());

/** Small disk for one box. */
function diskOf(name: string, megabytes: number): SmallDisk {
  const disk = smallDisk(folder.path, name, megabytes);
  mounted.push(disk);
  return disk;
}

async function start(home: string, env: Readonly<Record<string, string>> = {}): Promise<FaultEdge> {
  const edge = await startFaultEdge(home, env);
  edges.add(edge);
  return edge;
}

function clientOf(edge: FaultEdge, more: Partial<ClientOptions> = {}): IndependentClient {
  return new IndependentClient({
    url: edge.url,
    code: edge.code,
    receiptTimeoutMs: 20_000,
    retryDelayMs: 2,
    reconnectStepMs: 10,
    reconnectMaxMs: 50,
    ...more,
  });
}

const codes = (items: readonly Item[]): string[] => [...new Set(items.map(({ refused }) => refused?.code ?? 'none'))];
const photographs = (client: IndependentClient): Item[] =>
  client.state.items.filter(({ photo }) => photo !== undefined);

describe('protocol: below the free-space threshold', () => {
  it('new images get storage-full, documents pass, the box stays up; with room all arrive', async () => {
    const disk = diskOf('threshold', 64);
    const edge = await start(path.join(disk.path, 'home'), { MIN_FREE_GB: String(32 / 1024) });
    const clients = (['socket', 'http'] as const).map((transport) => clientOf(edge, { transport }));
    for (const client of clients)
      await addVoyage(
        client,
        photos,
        Array.from({ length: 24 }, () => MB),
        random,
      );
    const refused = (await Promise.all(clients.map((client) => client.drain()))).flat();
    const kept = clients.flatMap(photographs).filter(({ receipt }) => receipt !== undefined);
    console.log(
      `threshold: ${kept.length} photographs kept, ${refused.length} refused, ${Math.round((statfsSync(disk.path).bavail * statfsSync(disk.path).bsize) / MB)} MB left`,
    );
    expect(kept.length).toBeGreaterThan(5);
    expect(refused.length).toBeGreaterThan(5);
    expect(codes(refused)).toEqual(['storage-full']);
    expect(refused.every(({ photo }) => photo !== undefined)).toBe(true);

    // Documents: a person, a survey, an analysis of a stored photograph, an edit.
    const scribe = clientOf(edge);
    await addVoyage(scribe, photos, [], random);
    const seen = kept[0]!;
    scribe.add('analysis', seen.op.docId.split('').reverse().join(''), {
      id: seen.op.docId.split('').reverse().join(''),
      image: { id: seen.op.docId },
      labels: [],
    });
    expect(await scribe.drain()).toEqual([]);
    expect(edge.exited).toBeUndefined();
    expect(
      await audit(
        edge,
        [...clients, scribe].flatMap(({ state }) => state.items),
        false,
      ),
    ).toEqual([]);

    disk.grow(160);
    for (const client of clients) client.retryRefused();
    expect((await Promise.all(clients.map((client) => client.drain()))).flat()).toEqual([]);
    for (const client of [...clients, scribe]) client.stop();
    expect(
      await audit(
        edge,
        [...clients, scribe].flatMap(({ state }) => state.items),
        true,
      ),
    ).toEqual([]);
  });

  it('a completely full disk loses nothing receipted, and the box continues with room', async () => {
    const disk = diskOf('brim', 40);
    const home = path.join(disk.path, 'home');
    let edge = await start(home);
    const state: ClientState = newState('at the brim');
    let client = clientOf(edge, { state });
    await addVoyage(client, photos, [MB, MB], random);
    expect(await client.drain()).toEqual([]);
    // Another program fills the disk.
    const ballast = path.join(disk.path, 'ballast');
    execFileSync('sh', ['-c', `dd if=/dev/zero of=${ballast} bs=64k 2>/dev/null; true`]);
    await addVoyage(client, photos, [MB, 300_000, MB], random);
    void edge.whenExited.then(() => client.stop());
    const refused = await client.drain();
    const outcome =
      edge.exited === undefined
        ? `refused with ${codes(refused).join(', ')}`
        : `exit ${edge.exited.code ?? edge.exited.signal}`;
    console.log(`brim: ${outcome}`);
    // Either it reports the failure or stops for its supervisor; it never confirms.
    if (edge.exited === undefined) {
      expect(refused.length).toBeGreaterThan(0);
      expect(codes(refused).filter((code) => !['storage-full', 'unknown-survey'].includes(code))).toEqual([]);
      expect(await audit(edge, state.items, false)).toEqual([]);
    } else expect(edge.exited.code).not.toBe(0);
    rmSync(ballast);
    if (edge.exited !== undefined) edge = await start(home);
    client.stop();
    client = clientOf(edge, { state });
    client.retryRefused();
    expect(await client.drain()).toEqual([]);
    client.stop();
    expect(await audit(edge, state.items, true)).toEqual([]);
  });
});

describe('protocol: a failed fsync', () => {
  it('the box exits and recovers at boot: everything acknowledged is there', async () => {
    const home = path.join(folder.path, 'fsync');
    const state: ClientState = newState('failed fsync');
    let exits = 0;
    // The n-th sync of any kind after the start fails once; later ones would succeed and must not be reached.
    for (const at of [1, 2, 3, 4, 5, 6, 7, 9, 11, 14].map((n) => String(n))) {
      const edge = await start(home, { FAIL_SYNC_AFTER_START: at });
      const client = clientOf(edge, { state, chunkBytes: 64 * 1024, transport: exits % 2 === 0 ? 'socket' : 'http' });
      void edge.whenExited.then(() => client.stop());
      expect(await audit(edge, state.items, false)).toEqual([]);
      for (let n = 0; n < 20 && edge.exited === undefined; n += 1) {
        await addVoyage(client, photos, [150_000, 20_000], random);
        const refused = await client.drain();
        expect(codes(refused).filter((code) => code !== 'internal')).toEqual([]);
        client.retryRefused();
      }
      if (edge.exited === undefined) throw new Error(`sync ${at} failed and the box went on`);
      const { code, signal } = await edge.whenExited;
      expect({ code: code === 0 ? 0 : 'not 0', signal, at }).toEqual({ code: 'not 0', signal: null, at });
      exits += 1;
    }
    const edge = await start(home);
    const client = clientOf(edge, { state });
    expect(await client.drain()).toEqual([]);
    client.stop();
    expect(await audit(edge, state.items, true)).toEqual([]);
    console.log(`fsync: ${exits} failed syncs, each ended the box; ${state.items.length} things receipted in the end`);
  });
});

describe('protocol: a failed fsync under a supervisor', () => {
  it('the supervisor restarts the box, the client waits and everything arrives', async () => {
    const reserved = net.createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port } = reserved.address() as net.AddressInfo;
    await new Promise((resolve) => reserved.close(resolve));
    const supervised = await startSupervised(path.join(folder.path, 'supervised'), port, {
      EDGE_PAIRING: 'open',
      FAIL_SYNC_AFTER_START: '25',
    });
    try {
      const client = new IndependentClient({
        url: `http://127.0.0.1:${port}`,
        chunkBytes: 64 * 1024,
        receiptTimeoutMs: 20_000,
        retryDelayMs: 300,
        reconnectStepMs: 50,
        reconnectMaxMs: 200,
      });
      await addVoyage(client, photos, [150_000, 20_000, 150_000, 20_000, 150_000, 70_000], random);
      for (let round = 0; client.state.items.some(({ receipt }) => receipt === undefined); round += 1) {
        if (round > 10) throw new Error(`never finished:\n${supervised.output()}`);
        client.retryRefused();
        await client.drain();
      }
      client.stop();
      const restarts = supervised.output().split('the server ended; it is started again').length - 1;
      console.log(
        `supervised: ${restarts} failed syncs, each followed by a restart; ${client.breaks} breaks for the client`,
      );
      expect(restarts).toBeGreaterThanOrEqual(1);
      expect(
        await audit(
          { url: `http://127.0.0.1:${port}`, adminToken: 'admin-token-of-the-fault-tests' },
          client.state.items,
          true,
        ),
      ).toEqual([]);
    } finally {
      await supervised.stop();
    }
  });
});

describe('protocol: another store, another tablet', () => {
  const REPLACED: Record<string, (home: string) => void> = {
    'the whole folder moved away': (home) => renameSync(home, `${home}-lost`),
    'a database that is broken': (home) => {
      for (const suffix of ['-wal', '-shm']) rmSync(path.join(home, 'edge', `census.sqlite${suffix}`), { force: true });
      writeFileSync(path.join(home, 'edge', 'census.sqlite'), random.bytes(8_192));
    },
  };
  for (const [what, replace] of Object.entries(REPLACED)) {
    it(`a replaced edge store (${what}) has a new epoch, and everything is offered again`, async () => {
      const home = path.join(folder.path, `replaced ${what}`);
      const first = await start(home);
      const state: ClientState = newState('before and after');
      let client = clientOf(first, { state });
      await addVoyage(client, photos, [100_000, 150_000], random);
      expect(await client.drain()).toEqual([]);
      client.stop();
      const { storeEpoch } = state;
      expect(storeEpoch).toBeDefined();
      await first.stop();
      replace(home);
      const second = await start(home);
      client = clientOf(second, { state });
      await addVoyage(client, photos, [20_000], random);
      expect(await client.drain()).toEqual([]);
      client.stop();
      expect(state.storeEpoch).not.toBe(storeEpoch);
      expect(new Set(state.items.map(({ receipt }) => receipt?.storeEpoch))).toEqual(new Set([state.storeEpoch]));
      expect(await audit(second, state.items, true)).toEqual([]);
    });
  }

  it('a restored outbox copy takes a new deviceId and loses nothing', async () => {
    const edge = await start(path.join(folder.path, 'restored'));
    const original = clientOf(edge);
    await addVoyage(original, photos, [50_000], random);
    expect(await original.drain()).toEqual([]);
    await addVoyage(original, photos, [40_000], random);
    const copy = JSON.parse(JSON.stringify(original.state)) as ClientState;
    await addVoyage(original, photos, [60_000], random);
    expect(await original.drain()).toEqual([]);
    original.stop();
    // The copy owes items that are already sent, and reuses numbers that its other self has used.
    const restored = clientOf(edge, { state: copy });
    const later = await addVoyage(restored, photos, [70_000, 80_000], random);
    expect(later[0]!.op.opId).toBe(original.state.items[6]!.op.opId);
    expect(await restored.drain()).toEqual([]);
    restored.stop();
    expect(restored.state.deviceId).not.toBe(original.state.deviceId);
    expect(await audit(edge, restored.state.items, false)).toEqual([]);
    expect(await audit(edge, original.state.items, false)).toEqual([]);
    const known = new Set([...original.state.items, ...restored.state.items].map(({ op }) => op.opId));
    expect((await wholeFeed(edge)).entries.filter(({ op }) => op !== undefined && !known.has(op.opId))).toEqual([]);
  });

  it('two people on one survey: both values are stored and shown, each photograph counts once', async () => {
    const edge = await start(path.join(folder.path, 'two'));
    const [ann, ben] = [clientOf(edge), clientOf(edge, { transport: 'http' })];
    const [person, survey] = await addVoyage(ann, photos, [30_000], random);
    expect(await ann.drain()).toEqual([]);
    const seen = (await ben.pull()).find(({ op }) => op?.docId === survey!.op.docId)!.op!;
    expect(seen).toEqual(survey!.op);
    const [other] = await addVoyage(ben, photos, [], random);
    const edit = (client: IndependentClient, by: string, change: { [field: string]: string }): Item =>
      client.add(
        'survey',
        seen.docId,
        { ...seen.body, ...change },
        { by, lc: 2, over: Object.fromEntries(Object.keys(change).map((field) => [field, [seen.opId]])) },
      );
    // Neither has seen the other's edit.
    edit(ann, person!.op.docId, { name: 'Moore Reef' });
    edit(ben, other!.op.docId, { name: 'Moore Reef north', camera: 'TG-6' });
    await ann.addPhotograph(survey!, photographs(ann)[0]!.photo!.file, person!.op.docId);
    await ben.addPhotograph(survey!, photographs(ann)[0]!.photo!.file, other!.op.docId);
    expect((await Promise.all([ann.drain(), ben.drain()])).flat()).toEqual([]);
    const folds = await Promise.all(
      [ann, ben].map(async (client) => {
        client.state.cursor = 0;
        const ops = (await client.pull()).flatMap(({ op }) =>
          op?.docId === seen.docId ? [op as unknown as DomainOp] : [],
        );
        return fold(ops);
      }),
    );
    expect(folds[0]).toEqual(folds[1]);
    expect(folds[0]!.doc).toMatchObject({ camera: 'TG-6', loc: seen.body['loc'] });
    expect([folds[0]!.doc['name'], ...folds[0]!.conflicts.map(({ value }) => value)].sort()).toEqual([
      'Moore Reef',
      'Moore Reef north',
    ]);
    const surveys = await ann.query<{ id: string; images: { total: number; here: number } }[]>('surveys');
    expect(surveys.find(({ id }) => id === seen.docId)?.images).toMatchObject({ total: 3, here: 3 });
    expect(await audit(edge, [...ann.state.items, ...ben.state.items], true)).toEqual([]);
    ann.stop();
    ben.stop();
  });
});
