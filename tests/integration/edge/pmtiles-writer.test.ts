import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { PMTiles, zxyToTileId } from 'pmtiles';
import { afterAll, describe, expect, it } from 'vitest';
import { BadArchiveError, TileArchive } from '../../../src/server/tiles/tile-archive';
import { tileIdOf } from '../../../src/server/tiles/tile-id';
import type { TileToWrite } from '../../../src/server/tiles/pmtiles-writer';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import { BytesSource } from '../../support/servers/pmtiles-file';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-pmtiles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const about = {
  bounds: [-180, -85, 180, 85],
  minZoom: 0,
  maxZoom: 14,
  center: [147, -18, 4],
  metadata: { name: 'Test', attribution: 'nobody', vector_layers: [{ id: 'land', fields: {} }] },
} as const;

let count = 0;
/** Writes it to disk and opens it as the box does. */
function open(archive: Uint8Array): TileArchive {
  const file = path.join(folder, `${count++}.pmtiles`);
  writeFileSync(file, archive);
  return new TileArchive(file);
}

/** Tiles at distinct positions with few contents, so that runs and repeats occur. */
const someTiles = fc
  .uniqueArray(
    fc.integer({ min: 0, max: 6 }).chain((z) => fc.tuple(fc.constant(z), fc.nat(2 ** z - 1), fc.nat(2 ** z - 1))),
    { minLength: 1, maxLength: 200, selector: ([z, x, y]) => `${z}/${x}/${y}` },
  )
  .chain((places) =>
    fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: places.length, maxLength: places.length })
      .map((kinds) =>
        places.map(([z, x, y], n): TileToWrite => ({ z, x, y, data: Buffer.alloc(kinds[n]! * 10, kinds[n]) })),
      ),
  );

describe('protocol: edge http: tile archives', () => {
  it('tile ids match the pmtiles package, and positions outside a zoom have none', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 22 }).chain((z) => fc.tuple(fc.constant(z), fc.nat(2 ** z - 1), fc.nat(2 ** z - 1))),
        ([z, x, y]) => {
          expect(tileIdOf(z, x, y)).toBe(zxyToTileId(z, x, y));
        },
      ),
      { numRuns: 2_000 },
    );
    for (const [z, x, y] of [
      [0, 1, 0],
      [3, 8, 0],
      [3, 0, 8],
      [27, 0, 0],
      [-1, 0, 0],
      [3, -1, 0],
    ] as const)
      expect(tileIdOf(z, x, y)).toBeUndefined();
  });

  it('written tiles are read back by the pmtiles package and the box, and gaps are empty', async () => {
    await fc.assert(
      fc.asyncProperty(someTiles, fc.constantFrom(undefined, 40, 200), async (tiles, rootBytes) => {
        const bytes = writePmtiles(tiles, about, rootBytes === undefined ? {} : { rootBytes });
        const theirs = new PMTiles(new BytesSource(bytes));
        const ours = open(bytes);
        const there = new Map(tiles.map(({ z, x, y, data }) => [`${z}/${x}/${y}`, Buffer.from(data)]));
        for (const [z, x, y] of [
          ...tiles.map((tile) => [tile.z, tile.x, tile.y] as const),
          [0, 0, 0] as const,
          [5, 17, 9] as const,
          [6, 63, 63] as const,
        ]) {
          const wanted = there.get(`${z}/${x}/${y}`);
          const found = await theirs.getZxy(z, x, y);
          expect(found === undefined ? undefined : Buffer.from(found.data)).toEqual(wanted);
          const stored = await ours.read(tileIdOf(z, x, y)!);
          expect(stored === null).toBe(wanted === undefined);
        }
        ours.close();
      }),
      { numRuns: 60 },
    );
  });

  it('header and metadata describe the archive, and equal contents are stored once', async () => {
    const sea = Buffer.from('sea');
    const tiles: TileToWrite[] = [];
    for (let x = 0; x < 16; x++)
      for (let y = 0; y < 16; y++) tiles.push({ z: 4, x, y, data: x === 3 && y === 5 ? Buffer.from('land') : sea });
    const bytes = writePmtiles(tiles, about);
    const reader = new PMTiles(new BytesSource(bytes));
    expect(await reader.getHeader()).toMatchObject({
      specVersion: 3,
      clustered: true,
      numAddressedTiles: 256,
      numTileEntries: 3,
      numTileContents: 2,
      minZoom: 0,
      maxZoom: 14,
      minLon: -180,
      maxLat: 85,
      centerLon: 147,
      centerLat: -18,
      centerZoom: 4,
      tileType: 1,
      tileCompression: 2,
      internalCompression: 2,
    });
    expect(await reader.getMetadata()).toEqual(about.metadata);
    expect(writePmtiles([...tiles].reverse(), about), 'the order of the tiles makes no difference').toEqual(bytes);
  });

  it('an archive too large for one directory has leaves and a small header and root', async () => {
    const tiles: TileToWrite[] = [];
    // Scattered contents of different lengths, so that the directory hardly compresses.
    for (let n = 0; n < 8_000; n++) {
      const scattered = Math.imul(n, 0x9e3779b1) >>> 0;
      tiles.push({
        z: 12,
        x: scattered & 4095,
        y: (scattered >>> 12) & 4095,
        data: randomBytes(20 + ((scattered >>> 8) % 90)),
      });
    }
    const places = new Set(tiles.map(({ x, y }) => `${x}/${y}`));
    expect(places.size).toBe(tiles.length);
    const bytes = writePmtiles(tiles, about);
    const theirs = new PMTiles(new BytesSource(bytes));
    const header = await theirs.getHeader();
    expect(header.leafDirectoryLength).toBeGreaterThan(0);
    expect(header.rootDirectoryOffset + header.rootDirectoryLength).toBeLessThanOrEqual(16_384);
    const ours = open(bytes);
    expect(ours.entries).toBe(header.numTileEntries);
    for (const { x, y, data } of tiles.filter((_, n) => n % 97 === 0)) {
      expect(Buffer.from((await theirs.getZxy(12, x, y))!.data)).toEqual(data);
      expect(await ours.read(tileIdOf(12, x, y)!)).not.toBeNull();
    }
    ours.close();
  });

  it('an impossible archive is refused when it is made', () => {
    const tile = { z: 1, x: 0, y: 0, data: Buffer.from('x') };
    for (const wrong of [
      [],
      [tile, tile],
      [{ ...tile, x: 2 }],
      [{ ...tile, y: -1 }],
      [{ ...tile, z: 0.5 }],
      [{ ...tile, data: Buffer.alloc(0) }],
    ])
      expect(() => writePmtiles(wrong, about)).toThrow(RangeError);
  });

  it('a truncated or altered archive throws BadArchive or still serves tiles', () => {
    const tiles = Array.from({ length: 64 }, (_, n): TileToWrite => ({
      z: 3,
      x: n % 8,
      y: n >> 3,
      data: Buffer.from(`tile ${n}`),
    }));
    const whole = writePmtiles(tiles, about, { rootBytes: 60 });
    const tryOpen = (bytes: Uint8Array): string => {
      try {
        open(bytes).close();
        return 'open';
      } catch (error) {
        expect(error).toBeInstanceOf(BadArchiveError);
        return 'refused';
      }
    };
    expect(tryOpen(whole)).toBe('open');
    for (const length of [0, 1, 50, 126, 127, 130, 180])
      expect(tryOpen(whole.subarray(0, length)), `cut to ${length}`).toBe('refused');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(whole);
        changed[at]! ^= flip;
        tryOpen(changed);
      }),
      { numRuns: 400 },
    );
    const later = Buffer.from(whole);
    later[7] = 4;
    expect(tryOpen(later), 'another version').toBe('refused');
    const short = Buffer.from(whole);
    short.writeBigUInt64LE(1n, 64);
    expect(tryOpen(short), 'tiles beyond the section of tiles').toBe('refused');
  });

  it.each(['webp', 'avif'] as const)(
    '1§7: %s tiles are stored as encoded, and both readers see their kind',
    async (kind) => {
      const data = Buffer.from(`an image in ${kind}`);
      const bytes = writePmtiles([{ z: 2, x: 1, y: 3, data }], { ...about, kind });
      expect(bytes.includes(data)).toBe(true);
      const ours = open(bytes);
      expect([ours.mediaType, ours.encoding]).toEqual([`image/${kind}`, 'none']);
      const theirs = new PMTiles(new BytesSource(bytes));
      expect((await theirs.getHeader()).tileType).toBe(kind === 'webp' ? 4 : 5);
      expect(Buffer.from((await theirs.getZxy(2, 1, 3))!.data).equals(data)).toBe(true);
    },
  );
});
