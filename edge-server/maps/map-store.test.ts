import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import type { MapFile } from '../../src/protocol/map-files';
import type { Disk } from '../../src/server/files/disk';
import { realDisk } from '../../src/server/files/disk';
import { MapStore } from './map-store';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function folder(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-maps-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const open = (home: string, disk: Disk = realDisk, said: string[] = []): Promise<MapStore> =>
  MapStore.open({ home, minFreeBytes: 0 }, (message) => said.push(message), disk);

interface Item {
  readonly file: MapFile;
  readonly travelling: Buffer;
}

function item(address: string, content: Buffer, set: string): Item {
  const encoding = address.startsWith('/cdn') ? 'gzip' : 'identity';
  return {
    file: {
      address,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      type: 'text/plain',
      set,
      encoding,
    },
    travelling: encoding === 'gzip' ? gzipSync(content) : content,
  };
}

const bring = (store: MapStore, { file, travelling }: Item) =>
  store.append(file.sha256, { offset: 0, length: travelling.length }, travelling);

const contentOf = (store: MapStore, address: string): string | null => {
  const found = store.find(address);
  return found === null ? null : readFileSync(found.file, 'utf8');
};

const TABLE = '/cdn/map/gbr/features.json';
const TILES = '/tiles/reefs-gbr.pmtiles';
const first = [item(TABLE, Buffer.from('table 1'), 'map gbr'), item(TILES, Buffer.from('tiles 1'), 'map gbr')] as const;
const second = [item(TABLE, Buffer.from('table 2'), 'map gbr'), item(TILES, randomBytes(3000), 'map gbr')] as const;

async function withFirst(home: string, disk?: Disk): Promise<MapStore> {
  const store = await open(home, disk);
  await store.putList(first.map(({ file }) => file));
  for (const each of first) await bring(store, each);
  return store;
}

it('3§7: files are served once their whole set is proven, and those before until then', async () => {
  const store = await open(folder());
  expect(store.status()).toEqual({ status: 'none', files: 0, missing: 0, missingBytes: 0 });
  expect(await store.putList(first.map(({ file }) => file))).toEqual(
    first.map(({ file }) => ({ sha256: file.sha256, offset: 0 })),
  );
  await bring(store, first[0]);
  expect([contentOf(store, TABLE), store.status().status]).toEqual([null, 'coming']);
  await bring(store, first[1]);
  expect([contentOf(store, TABLE), contentOf(store, TILES), store.status().status]).toEqual([
    'table 1',
    'tiles 1',
    'complete',
  ]);
  await store.putList(second.map(({ file }) => file));
  await bring(store, second[0]);
  expect([contentOf(store, TABLE), contentOf(store, TILES)], 'ids in tiles are rows of the table').toEqual([
    'table 1',
    'tiles 1',
  ]);
  await bring(store, second[1]);
  expect([contentOf(store, TABLE), store.find(TILES)?.sha256]).toEqual(['table 2', second[1].file.sha256]);
});

it('3§7: a file that was cut continues after a restart, and a damaged one is sent again', async () => {
  const home = folder();
  await withFirst(home);
  const store = await open(home);
  await store.putList(second.map(({ file }) => file));
  await bring(store, second[0]);
  const { file, travelling } = second[1];
  const length = travelling.length;
  await store.append(file.sha256, { offset: 0, length }, travelling.subarray(0, 1000));
  const again = await open(home);
  expect(contentOf(again, TABLE), 'a power cut').toBe('table 1');
  expect(await again.putList(second.map((each) => each.file))).toEqual([{ sha256: file.sha256, offset: 1000 }]);
  await expect(again.append(file.sha256, { offset: 0, length }, travelling)).rejects.toMatchObject({
    code: 'offset-mismatch',
    details: { offset: 1000 },
  });
  await expect(again.append(file.sha256, { offset: 1000, length }, randomBytes(length - 1000))).rejects.toMatchObject({
    code: 'hash-mismatch',
  });
  expect([again.status().status, contentOf(again, TILES)]).toEqual(['damaged', 'tiles 1']);
  expect(await again.putList(second.map((each) => each.file))).toEqual([{ sha256: file.sha256, offset: 0 }]);
  await bring(again, second[1]);
  expect([again.status().status, again.find(TILES)?.sha256]).toEqual(['complete', file.sha256]);
  expect(
    readdirSync(path.join(home, 'maps'))
      .filter((name) => /^[0-9a-f]{64}/.test(name))
      .sort(),
    'nothing else stays',
  ).toEqual(second.map((each) => each.file.sha256).sort());
});

it('3§7: on a full disk the previous map stays, the status shows it, and space completes it', async () => {
  const home = folder();
  let isFull = false;
  const disk: Disk = {
    ...realDisk,
    write: (fd, buffers, position) =>
      isFull
        ? realDisk
            .write(fd, [buffers[0]!.subarray(0, 10)], position)
            .then(() => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })))
        : realDisk.write(fd, buffers, position),
  };
  const store = await withFirst(home, disk);
  await store.putList(second.map(({ file }) => file));
  await bring(store, second[0]);
  isFull = true;
  await expect(bring(store, second[1])).rejects.toMatchObject({ code: 'storage-full' });
  expect(store.status()).toMatchObject({ status: 'no-space', missing: 2, missingBytes: 3000 });
  expect([contentOf(store, TABLE), contentOf(store, TILES)]).toEqual(['table 1', 'tiles 1']);
  isFull = false;
  expect(await store.putList(second.map(({ file }) => file)), 'the torn write was undone').toEqual([
    { sha256: second[1].file.sha256, offset: 0 },
  ]);
  await bring(store, second[1]);
  expect([store.status().status, contentOf(store, TABLE)]).toEqual(['complete', 'table 2']);
});

it('3§7: space that is reserved for photographs stays free', async () => {
  const said: string[] = [];
  const disk: Disk = { ...realDisk, statfs: () => Promise.resolve({ free: 1000, size: 10_000 }) };
  const store = await open(folder(), disk, said);
  await store.putList(second.map(({ file }) => file));
  await bring(store, second[0]);
  await expect(bring(store, second[1])).rejects.toMatchObject({ code: 'storage-full' });
  expect(said).toEqual([
    'The disk is too full for the new map. The previous map stays in use; the bridge tries again.',
  ]);
});

it('3§7: an empty list changes nothing, and a damaged one on disk is sent again', async () => {
  const home = folder();
  const store = await withFirst(home);
  expect(await store.putList([])).toEqual([]);
  expect(contentOf(store, TABLE)).toBe('table 1');
  writeFileSync(path.join(home, 'maps', 'wanted.json'), '{');
  const said: string[] = [];
  const again = await open(home, realDisk, said);
  expect([contentOf(again, TABLE), said.length]).toEqual(['table 1', 1]);
  expect(existsSync(path.join(home, 'maps', 'served.json'))).toBe(true);
});

it('3§7: a compressed table that grows beyond its length is refused', async () => {
  const store = await open(folder());
  const { file } = first[0];
  const bomb = gzipSync(Buffer.alloc(500_000));
  await store.putList([file]);
  await expect(store.append(file.sha256, { offset: 0, length: bomb.length }, bomb)).rejects.toMatchObject({
    code: 'hash-mismatch',
  });
});
