import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FetchSource, PMTiles } from 'pmtiles';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { TileToWrite } from '../../../src/server/tiles/pmtiles-writer';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import { buildTiles } from '../../../scripts/tiles.mjs';
import { REGION_LIST } from '../../../src/domain/region/regions';
import { startEdge } from '../../support/servers/edge';
import { BytesSource } from '../../support/servers/pmtiles-file';
import { request } from '../../independent/wire';
import { until } from '../../support/servers/client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-tiles-'));
const own = path.join(home, 'edge', 'tiles');
mkdirSync(own, { recursive: true });
const about = {
  bounds: [-180, -85, 180, 85],
  minZoom: 0,
  maxZoom: 3,
  center: [0, 0, 0],
  metadata: { vector_layers: [] },
} as const;
const tiles = Array.from({ length: 40 }, (_, n): TileToWrite => ({
  z: 3,
  x: n % 8,
  y: n >> 3,
  data: Buffer.from(`tile ${n}`.repeat(20)),
}));
const archive = writePmtiles(tiles, about);
writeFileSync(path.join(own, 'reefs.pmtiles'), archive);
writeFileSync(path.join(own, 'broken.pmtiles'), archive.subarray(0, 200));
writeFileSync(path.join(home, 'secret.pmtiles'), archive);

for (const [name, kind] of [
  ['raster', 'webp'],
  ['raster-avif', 'avif'],
  ['alone', 'webp'],
] as const)
  writeFileSync(
    path.join(own, `${name}.pmtiles`),
    writePmtiles([{ z: 1, x: 0, y: 1, data: Buffer.from(kind) }], { ...about, kind }),
  );

const edge = await startEdge({ home });
afterAll(async () => {
  await edge.remove();
  rmSync(home, { recursive: true, force: true });
});

const get = (place: string, headers: Record<string, string> = {}, method = 'GET') =>
  request(`${edge.url}${place}`, { method, headers });

describe('protocol: edge http: map tiles', () => {
  it('protocol: edge http: an archive is served whole, by range and by HEAD, with a strong ETag', async () => {
    const whole = await get('/tiles/reefs.pmtiles');
    expect(whole.status).toBe(200);
    expect(whole.body.equals(archive)).toBe(true);
    const etag = String(whole.headers['etag']);
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': String(archive.length) });

    const part = await get('/tiles/reefs.pmtiles', { range: 'bytes=7-106' });
    expect([part.status, part.headers['content-range'], part.body.equals(archive.subarray(7, 107))]).toEqual([
      206,
      `bytes 7-106/${archive.length}`,
      true,
    ]);
    const last = await get('/tiles/reefs.pmtiles', { range: 'bytes=-10' });
    expect(last.body.equals(archive.subarray(-10))).toBe(true);
    const beyond = await get('/tiles/reefs.pmtiles', { range: `bytes=${archive.length}-` });
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${archive.length}`]);
    expect((await get('/tiles/reefs.pmtiles', { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect(
      (await get('/tiles/reefs.pmtiles', { range: 'bytes=0-9', 'if-range': '"another"' })).body.length,
      'the file changed since: all of it',
    ).toBe(archive.length);
    expect((await get('/tiles/reefs.pmtiles', { 'if-none-match': etag })).status).toBe(304);
    const head = await get('/tiles/reefs.pmtiles', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(archive.length), 0]);
  });

  it('protocol: edge http: a tile is sent as stored, compressed if accepted, and a gap is 204', async () => {
    const zipped = await get('/tiles/reefs/3/5/2', { 'accept-encoding': 'gzip, br' });
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/vnd.mapbox-vector-tile',
    });
    expect(gunzipSync(zipped.body).toString()).toBe('tile 21'.repeat(20));
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const plain = await get('/tiles/reefs/3/5/2.mvt', headers);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers['etag']).not.toBe(zipped.headers['etag']);
      expect(plain.body.toString()).toBe('tile 21'.repeat(20));
    }
    expect(
      (await get('/tiles/reefs/3/5/2', { 'accept-encoding': 'gzip', 'if-none-match': String(zipped.headers['etag']) }))
        .status,
    ).toBe(304);
    expect((await get('/tiles/reefs/3/5/2', { 'accept-encoding': 'gzip' }, 'HEAD')).body.length).toBe(0);
    expect((await get('/tiles/reefs/3/0/7')).status).toBe(204);
    expect((await get('/tiles/reefs/9/0/7')).status).toBe(204);
  });

  it('1§7, 3§7: a raster tile comes as AVIF to a caller who names it, else as WebP, and caches can tell', async () => {
    for (const [place, accept, kind] of [
      ['/tiles/raster/1/0/1', 'image/avif,image/webp,*/*', 'avif'],
      ['/tiles/raster/1/0/1', 'image/webp,*/*', 'webp'],
      ['/tiles/raster/1/0/1', 'image/avif;q=0,image/webp', 'webp'],
      ['/tiles/raster/1/0/1.avif', 'image/webp', 'avif'],
      ['/tiles/raster/1/0/1.webp', 'image/avif', 'webp'],
    ] as const) {
      const answer = await get(place, { accept });
      expect([answer.body.toString(), answer.headers['content-type']]).toEqual([kind, `image/${kind}`]);
      expect(answer.headers['vary']).toContain('Accept');
    }
    expect((await get('/tiles/alone/1/0/1', { accept: 'image/avif' })).body.toString(), 'no AVIF here').toBe('webp');
  });

  it.each([
    ['/tiles/nothing/3/1/1', 404],
    ['/tiles/nothing.pmtiles', 404],
    ['/tiles/reefs.mbtiles', 404],
    ['/tiles/broken/3/1/1', 404],
    ['/tiles/..%2Fsecret/0/0/0', 404],
    ['/tiles/..%2F..%2Fsecret.pmtiles', 404],
    ['/tiles/%2e%2e%2fsecret.pmtiles', 404],
    ['/tiles/reefs%00/0/0/0', 404],
    ['/tiles/constructor/0/0/0', 404],
    ['/tiles/reefs/3/8/0', 400],
    ['/tiles/reefs/3/0/8', 400],
    ['/tiles/reefs/27/0/0', 400],
    ['/tiles/reefs/-1/0/0', 400],
    ['/tiles/reefs/3/1.5/0', 400],
    ['/tiles/reefs/3/1/x', 400],
    ['/tiles/reefs/3/1/0.exe', 400],
    ['/tiles/reefs/999999999999/0/0', 400],
  ])('protocol: errors: %s returns status %i', async (place, status) => {
    const answer = await get(place);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      ok: false,
      error: { code: status === 404 ? 'not-found' : 'bad-message' },
    });
  });

  it('protocol: edge http: a new or replaced chart appears in seconds, a broken one is reported', async () => {
    expect((await get('/tiles/new/3/5/2')).status).toBe(404);
    const put = (data: string) => {
      writeFileSync(path.join(own, 'new.part'), writePmtiles([{ z: 3, x: 5, y: 2, data: Buffer.from(data) }], about));
      renameSync(path.join(own, 'new.part'), path.join(own, 'new.pmtiles'));
    };
    put('first');
    await until(async () => (await get('/tiles/new/3/5/2')).body.toString() === 'first', 'the new chart', 20_000);
    put('second one');
    await until(
      async () => (await get('/tiles/new/3/5/2')).body.toString() === 'second one',
      'the chart that replaced it',
      20_000,
    );
    expect(edge.output).toContain('broken.pmtiles cannot be shown: an entry has no such bytes.');
  });

  it('the land chart from the outlines is complete at every zoom, and pmtiles reads it', async () => {
    const folder = path.join(home, 'built');
    const file = buildTiles({ folder });
    const bytes = readFileSync(file);
    expect(bytes.length, 'it is carried by every box and tablet').toBeLessThan(6_000_000);
    expect(
      readFileSync(buildTiles({ folder, force: true })).equals(bytes),
      'the same outlines make the same chart',
    ).toBe(true);
    const reader = new PMTiles(new BytesSource(bytes));
    const header = await reader.getHeader();
    expect(header).toMatchObject({ minZoom: 0, maxZoom: 6, minLon: -180, maxLon: 180 });
    expect(
      ((await reader.getMetadata()) as { vector_layers: { id: string }[] }).vector_layers.map(({ id }) => id),
    ).toEqual(['land', 'coast', 'names']);
    expect(((await reader.getTileJson('x')) as { attribution: string }).attribution).toBe('Natural Earth');
    for (const {
      regionId,
      mapBounds: [west, south, east, north],
    } of REGION_LIST) {
      const [x, y] = tileOf((west + east) / 2, (south + north) / 2, 3);
      const tile = await reader.getZxy(3, x, y);
      expect(Buffer.from(tile!.data).includes('land'), `${regionId} shows land`).toBe(true);
    }
    for (const [lng, lat] of [
      [2, -18],
      [2, 68],
      [2, 70],
      [-120, -18],
    ] as const) {
      const [x, y] = tileOf(lng, lat, 6);
      expect(
        await reader.getZxy(6, x, y),
        `open sea at ${lng}, ${lat}: what crosses 180° leaves no band around the world`,
      ).toBeUndefined();
    }
    for (const [lng, lat] of [
      [179.9, -16.5],
      [-179.9, -16.8],
    ] as const)
      expect(await reader.getZxy(6, ...tileOf(lng, lat, 6)), 'an island on both sides of 180°').toBeDefined();
    writeFileSync(path.join(own, 'land.part'), bytes);
    renameSync(path.join(own, 'land.part'), path.join(own, 'land.pmtiles'));
    const served = new PMTiles(new FetchSource(`${edge.url}/tiles/land.pmtiles`));
    await until(async () => (await get('/tiles/land/0/0/0')).status === 200, 'the chart is served', 20_000);
    for (const [z, x, y] of [
      [0, 0, 0],
      [4, 14, 9],
      [6, 58, 35],
    ] as const) {
      const theirs = Buffer.from((await served.getZxy(z, x, y))!.data);
      expect(theirs.equals((await get(`/tiles/land/${z}/${x}/${y}`)).body), `${z}/${x}/${y}`).toBe(true);
    }
  });
});

/** Tile of a position in degrees. */
function tileOf(lng: number, lat: number, z: number): [number, number] {
  const radians = (lat * Math.PI) / 180;
  return [
    Math.floor(((lng + 180) / 360) * 2 ** z),
    Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** z),
  ];
}
