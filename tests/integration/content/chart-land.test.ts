import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { openSync, readSync, closeSync } from 'node:fs';
import Pbf from 'pbf';
import { PMTiles } from 'pmtiles';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTiles } from '../../../scripts/tiles.mjs';

let file: number;
let archive: PMTiles;

beforeAll(() => {
  file = openSync(buildTiles(), 'r');
  archive = new PMTiles({
    getKey: () => 'land',
    getBytes: async (offset, length) => {
      const bytes = new Uint8Array(length);
      readSync(file, bytes, 0, length, offset);
      return { data: bytes.buffer };
    },
  });
});
afterAll(() => closeSync(file));

/** True if the chart has land at a position and zoom, by counting crossings of the tile's polygons. */
async function isLand(lat: number, lng: number, z: number): Promise<boolean> {
  const edge = 2 ** z;
  const [x, y] = [((lng + 180) / 360) * edge, ((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * edge];
  const tile = await archive.getZxy(z, Math.floor(x), Math.floor(y));
  if (tile === undefined) return false;
  const land = new VectorTile(new Pbf(new Uint8Array(tile.data)) as never).layers['land'];
  if (land === undefined) return false;
  const point = { x: (x % 1) * land.extent, y: (y % 1) * land.extent };
  return Array.from({ length: land.length }, (_, n) => land.feature(n)).some((polygon) => holds(polygon, point));
}

function holds(polygon: VectorTileFeature, { x, y }: { x: number; y: number }): boolean {
  let inside = false;
  for (const ring of polygon.loadGeometry()) {
    for (const [n, a] of ring.entries()) {
      const b = ring.at(n - 1) ?? a;
      if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
    }
  }
  return inside;
}

const ZOOMS = [0, 1, 2, 3, 4, 5, 6];

describe('1§3 the chart shows land where there is land, and water where there is water', () => {
  test.each([
    ['off Moore Reef', -16.86, 146.4],
    ['in the Pacific at the latitude of an island on the antimeridian', -16.85, -140],
    ['in the Atlantic at the same latitude', -16.85, -20],
    ['in the Red Sea', 20, 38.5],
    ['at the north pole’s side of Siberia', 78, -150],
  ])('water %s, at every zoom', async (_where, lat, lng) => {
    for (const z of ZOOMS) expect(await isLand(lat, lng, z), `zoom ${z}`).toBe(false);
  });

  test.each([
    ['in Queensland', -20, 144],
    ['east of the antimeridian, in Chukotka', 66.5, -175],
    ['west of the antimeridian, in Chukotka', 67.5, 178],
    ['deep in Antarctica', -80, 100],
    ['in Antarctica at the antimeridian', -84.9, 179.9],
  ])('land %s, at every zoom', async (_where, lat, lng) => {
    for (const z of ZOOMS) expect(await isLand(lat, lng, z), `zoom ${z}`).toBe(true);
  });
});
