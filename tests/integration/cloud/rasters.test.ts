import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MapArchives } from '../../../cloud-sync/api/map-archives/map-archives';
import { RasterJobs } from '../../../cloud-sync/api/map-archives/raster-jobs';
import { RasterFiles } from '../../../cloud-sync/api/map-archives/region-rasters';
import type { CloudDatabase } from '../../../cloud-sync/api/postgres/connect';
import { connectDatabase } from '../../../cloud-sync/api/postgres/connect';
import { migrateStore } from '../../../cloud-sync/api/store/migrate';
import { parseArguments } from '../../../cloud-sync/region-import/arguments';
import { importRegion } from '../../../cloud-sync/region-import/import-region';
import { realDisk, type Disk } from '../../../src/server/files/disk';
import { testDatabase } from '../../support/postgres/postgres';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-rasters-'));
let database: CloudDatabase;
let close: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  database = await connectDatabase({ databaseUrl: test.url, home: folder, report: () => undefined, connections: 4 });
  await migrateStore(database.pool);
  close = async () => {
    await database.close();
    await test.close();
  };
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

/** Colour by place, with a hole. */
async function picture(name: string, side: number): Promise<string> {
  const pixels = Buffer.alloc(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const at = 4 * (y * side + x);
      pixels[at] = Math.round((255 * x) / side);
      pixels[at + 1] = Math.round((255 * y) / side);
      pixels[at + 3] = x > side / 2 && y > side / 2 ? 0 : 255;
    }
  const file = path.join(folder, name);
  await sharp(pixels, { raw: { width: side, height: side, channels: 4 } })
    .png()
    .toFile(file);
  return file;
}

const importRaster = (region: string, file: string) =>
  importRegion(
    database.pool,
    parseArguments([
      ...['--region', region, '--raster', `a=${file}`, '--bounds', 'a=146,-18,148,-16'],
      ...['--projection', 'a=EPSG:3857', '--attribution', 'a=© someone'],
    ]),
    'test',
    new Date(),
  );

/** Jobs of one process, which counts its steps instead of queueing them. */
function process(name: string): { readonly jobs: RasterJobs; readonly archives: MapArchives; steps: () => number } {
  const { pool } = database;
  const home = path.join(folder, name);
  mkdirSync(home);
  const archives = new MapArchives(pool, path.join(home, 'maps'));
  const files = new RasterFiles(pool, path.join(home, 'rasters'), realDisk);
  const jobs = new RasterJobs({
    pool,
    archives,
    files,
    onChanged: () => Promise.resolve(),
    log: pino({ level: 'silent' }),
  });
  let steps = 0;
  jobs.request = () => {
    steps++;
    return Promise.resolve();
  };
  return { jobs, archives, steps: () => steps };
}

async function finish({ jobs, steps }: ReturnType<typeof process>): Promise<number> {
  for (let before = -1; before !== steps();) {
    before = steps();
    await jobs.run('gbr');
  }
  return steps();
}

const count = async (table: string): Promise<number> =>
  Number((await database.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n);

test('1§7, 3§7 a raster is cut block by block; what was cut before a kill is not cut again, with the same bytes', async () => {
  await importRaster('gbr', await picture('a.png', 1200));
  const whole = process('one');
  const steps = await finish(whole);
  expect(steps, 'several blocks').toBeGreaterThan(3);
  const hashes = async () =>
    (await database.pool.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM map_archives ORDER BY name'))
      .rows;
  const before = await hashes();
  expect(before.map(({ name }) => name)).toEqual(['raster-gbr', 'raster-gbr-avif']);
  expect(await whole.archives.mapLayers('gbr'), 'the contents list has one').toMatchObject([
    { name: 'raster-gbr', kind: 'raster', minZoom: 0 },
  ]);

  await whole.archives.remove(before.map(({ name }) => name));
  const killed = process('two');
  await killed.jobs.run('gbr');
  await killed.jobs.run('gbr');
  const cut = await count('raster_tiles');
  expect(cut).toBeGreaterThan(0);
  // Another process, whose disk has nothing decoded.
  const next = process('three');
  expect((await finish(next)) + killed.steps(), 'no block is cut twice').toBe(steps);
  expect(await hashes(), 'the same bytes').toEqual(before);
  expect(await count('raster_tiles'), 'nothing is left over').toBe(0);
  for (const home of ['one', 'three']) expect(readdirSync(path.join(folder, home, 'rasters')), home).toEqual([]);
});

test('1§7, 3§7 on a full disk, or if its file is cut, an archive is served whole or not at all', async () => {
  const maps = path.join(folder, 'full');
  let isFull = true;
  const disk: Disk = {
    ...realDisk,
    write: (fd, buffers, position) =>
      isFull
        ? realDisk
            .write(fd, [buffers[0]!.subarray(0, 10)], position)
            .then(() => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })))
        : realDisk.write(fd, buffers, position),
  };
  const archives = new MapArchives(database.pool, maps, disk);
  const tile = new Uint8Array(5000).fill(7);
  await archives.store(
    'hawaii',
    {
      ...{ name: 'reefs-hawaii', kind: 'reefs', attribution: '© someone', bounds: [-160, 18, -154, 23] },
      ...{ minZoom: 0, maxZoom: 0, builtFrom: 'test' },
    },
    tile,
  );
  await expect(archives.locate('reefs-hawaii')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(maps), 'half a file takes no room').toEqual([]);
  isFull = false;
  for (const cut of [5000, 100, 0]) {
    const found = await archives.locate('reefs-hawaii');
    expect(readFileSync(found!.file).equals(tile), `after ${cut} bytes`).toBe(true);
    truncateSync(found!.file, cut);
  }
});

test('1§3, 1§7 pictures that are no raster are refused by their head or to their end, and nothing changes', async () => {
  const before = await count('map_layers');
  const cut = path.join(folder, 'cut.png');
  const bytes = readFileSync(path.join(folder, 'a.png'));
  writeFileSync(cut, bytes.subarray(0, bytes.length / 2));
  await expect(importRaster('gbr', cut)).rejects.toThrow('cut.png is damaged or cut off.');
  const bomb = path.join(folder, 'bomb.png');
  await sharp({ create: { width: 12_000, height: 9_000, channels: 3, background: 'black' }, limitInputPixels: false })
    .png()
    .toFile(bomb);
  await expect(importRaster('gbr', bomb)).rejects.toThrow('bomb.png has 108 megapixels; a picture may have 100.');
  const webp = path.join(folder, 'large.webp');
  await sharp({ create: { width: 6_000, height: 5_000, channels: 3, background: 'black' } })
    .webp({ effort: 0 })
    .toFile(webp);
  await expect(importRaster('gbr', webp)).rejects.toThrow('large.webp has 30 megapixels; a webp picture may have 28.');
  await expect(importRaster('gbr', path.join(folder, 'none.png'))).rejects.toThrow('none.png could not be read.');
  const text = path.join(folder, 'text.png');
  writeFileSync(text, 'no picture');
  await expect(importRaster('gbr', text)).rejects.toThrow('text.png is not a picture (PNG, JPEG, WebP or AVIF).');
  expect(await count('map_layers')).toBe(before);
});
