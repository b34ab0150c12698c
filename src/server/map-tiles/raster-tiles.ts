import { readSync } from 'node:fs';
import { mercatorLatitude, mercatorX, mercatorY } from '../../geo/mercator';
import type { GeoBounds } from '../../geo/outline';
import { PIXEL_BYTES } from './raster-picture';

/** Side of a tile, px. */
export const TILE_PX = 256;
/** Deepest zoom of a raster: 0.6 m a pixel at the equator. */
const ZOOM_MAX = 18;

/** Projections of a picture: degrees in equal steps (plate carrée), or web Mercator. */
export const RASTER_PROJECTIONS = ['EPSG:4326', 'EPSG:3857'] as const;
export type RasterProjection = (typeof RASTER_PROJECTIONS)[number];

/** Place and size of a raster's pixels. */
export interface RasterPlace {
  readonly width: number;
  readonly height: number;
  /** West, south, east, north, degrees, of the picture's edges; not across the 180th meridian. */
  readonly bounds: GeoBounds;
  readonly projection: RasterProjection;
}

/** Raster with an open file of plain pixels (`decodeRaster`). */
export interface OpenRaster extends RasterPlace {
  readonly fd: number;
}

export interface TileAddress {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Deepest zoom of a raster: a pixel of a tile is about one of the picture. */
export function rasterZoom({ width, bounds: [west, , east] }: RasterPlace): number {
  const wanted = Math.round(Math.log2((width / TILE_PX) * (360 / (east - west))));
  return Math.min(ZOOM_MAX, Math.max(0, wanted));
}

/** Tiles of a zoom that bounds touch. */
export function tilesOver([west, south, east, north]: GeoBounds, z: number): readonly TileAddress[] {
  const [size, tiles]: [number, TileAddress[]] = [2 ** z, []];
  const last = (value: number): number => Math.min(size - 1, Math.max(0, Math.ceil(value * size) - 1));
  const first = (value: number): number => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
  for (let y = first(mercatorY(north)); y <= last(mercatorY(south)); y++)
    for (let x = first(mercatorX(west)); x <= last(mercatorX(east)); x++) tiles.push({ z, x, y });
  return tiles;
}

/**
 * Pixels of a tile, the rasters stacked in their order; opacity 0 outside of them.
 *
 * @returns `TILE_PX`² pixels, or null without a visible one
 */
export function sampleTile(rasters: readonly OpenRaster[], tile: TileAddress): Uint8Array | null {
  const pixels = new Uint8Array(TILE_PX * TILE_PX * PIXEL_BYTES);
  for (const raster of rasters) drawRaster(raster, tile, pixels);
  return isVisible(pixels) ? pixels : null;
}

/** Half-size picture of four tiles: north-west, north-east, south-west, south-east; null where none is visible. */
export function halveTiles(children: readonly (Uint8Array | null)[]): Uint8Array | null {
  if (children.every((child) => child === null)) return null;
  const pixels = new Uint8Array(TILE_PX * TILE_PX * PIXEL_BYTES);
  const half = TILE_PX / 2;
  children.forEach((child, n) => {
    if (child === null) return;
    const [left, top] = [(n % 2) * half, Math.floor(n / 2) * half];
    for (let y = 0; y < half; y++)
      for (let x = 0; x < half; x++) {
        const at = (2 * y * TILE_PX + 2 * x) * PIXEL_BYTES;
        const corners = [at, at + PIXEL_BYTES, at + TILE_PX * PIXEL_BYTES, at + (TILE_PX + 1) * PIXEL_BYTES];
        mix(pixels, ((top + y) * TILE_PX + left + x) * PIXEL_BYTES, child, corners, [0.25, 0.25, 0.25, 0.25]);
      }
  });
  return isVisible(pixels) ? pixels : null;
}

function drawRaster(raster: OpenRaster, { z, x, y }: TileAddress, target: Uint8Array): void {
  const { width, height, fd } = raster;
  const world = TILE_PX * 2 ** z;
  // Place of each column and row of the tile in the picture, px from its first pixel's centre.
  const columns = Float64Array.from(
    { length: TILE_PX },
    (_, i) => columnOf(raster, (x * TILE_PX + i + 0.5) / world) - 0.5,
  );
  const rows = Float64Array.from({ length: TILE_PX }, (_, i) => rowOf(raster, (y * TILE_PX + i + 0.5) / world) - 0.5);
  const isInside = (place: number, length: number): boolean => place >= -0.5 && place < length - 0.5;
  const inside = [...columns].map((place, i) => [place, i] as const).filter(([place]) => isInside(place, width));
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined) return;
  const from = Math.max(0, Math.floor(first[0]));
  const count = Math.min(width - 1, Math.floor(last[0]) + 1) - from + 1;
  const known = new Map<number, Uint8Array>();
  const line = (row: number): Uint8Array => {
    const bytes = known.get(row) ?? readPixels(fd, row * width + from, count);
    // Rows come in order: two are needed at a time.
    if (!known.has(row) && known.size > 2) known.delete([...known.keys()][0] ?? row);
    known.set(row, bytes);
    return bytes;
  };
  const four = new Uint8Array(4 * PIXEL_BYTES);
  const corners = [0, PIXEL_BYTES, 2 * PIXEL_BYTES, 3 * PIXEL_BYTES];
  const sample = new Uint8Array(PIXEL_BYTES);
  for (let j = 0; j < TILE_PX; j++) {
    const row = rows[j] ?? NaN;
    if (!isInside(row, height)) continue;
    const [upper, lower] = [Math.max(0, Math.floor(row)), Math.min(height - 1, Math.floor(row) + 1)];
    const [above, below, down] = [line(upper), line(lower), row - Math.floor(row)];
    for (const [place, i] of inside) {
      const left = (Math.max(0, Math.floor(place)) - from) * PIXEL_BYTES;
      const right = (Math.min(width - 1, Math.floor(place) + 1) - from) * PIXEL_BYTES;
      const along = place - Math.floor(place);
      for (let c = 0; c < PIXEL_BYTES; c++) {
        four[c] = above[left + c] ?? 0;
        four[PIXEL_BYTES + c] = above[right + c] ?? 0;
        four[2 * PIXEL_BYTES + c] = below[left + c] ?? 0;
        four[3 * PIXEL_BYTES + c] = below[right + c] ?? 0;
      }
      const weights = [(1 - along) * (1 - down), along * (1 - down), (1 - along) * down, along * down];
      mix(sample, 0, four, corners, weights);
      drawOver(target, (j * TILE_PX + i) * PIXEL_BYTES, sample);
    }
  }
}

function columnOf({ width, bounds: [west, , east] }: RasterPlace, x: number): number {
  return (width * (x - mercatorX(west))) / (mercatorX(east) - mercatorX(west));
}

function rowOf({ height, bounds: [, south, , north], projection }: RasterPlace, y: number): number {
  if (projection === 'EPSG:4326') return (height * (north - mercatorLatitude(y))) / (north - south);
  return (height * (y - mercatorY(north))) / (mercatorY(south) - mercatorY(north));
}

/** Mean of pixels by weights that add up to 1; colours count by their opacity. */
function mix(
  target: Uint8Array,
  to: number,
  from: Uint8Array,
  pixels: readonly number[],
  weights: readonly number[],
): void {
  let [red, green, blue, opacity] = [0, 0, 0, 0];
  for (let n = 0; n < pixels.length; n++) {
    const at = pixels[n] ?? 0;
    const weight = (weights[n] ?? 0) * (from[at + 3] ?? 0);
    red += weight * (from[at] ?? 0);
    green += weight * (from[at + 1] ?? 0);
    blue += weight * (from[at + 2] ?? 0);
    opacity += weight;
  }
  const scale = opacity === 0 ? 0 : 1 / opacity;
  target[to] = Math.round(red * scale);
  target[to + 1] = Math.round(green * scale);
  target[to + 2] = Math.round(blue * scale);
  target[to + 3] = Math.round(opacity);
}

/** Draws a pixel over one that is there. */
function drawOver(target: Uint8Array, at: number, pixel: Uint8Array): void {
  const [over, under] = [(pixel[3] ?? 0) / 255, (target[at + 3] ?? 0) / 255];
  const opacity = over + under * (1 - over);
  if (opacity === 0) return;
  for (let c = 0; c < 3; c++)
    target[at + c] = Math.round(((pixel[c] ?? 0) * over + (target[at + c] ?? 0) * under * (1 - over)) / opacity);
  target[at + 3] = Math.round(255 * opacity);
}

function isVisible(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += PIXEL_BYTES) if (pixels[at] !== 0) return true;
  return false;
}

/** @throws Error if the file ends before */
function readPixels(fd: number, first: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * PIXEL_BYTES);
  if (readSync(fd, bytes, 0, bytes.length, first * PIXEL_BYTES) !== bytes.length)
    throw new Error('The decoded raster is cut off.');
  return bytes;
}
