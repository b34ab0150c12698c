import { closeSync, openSync } from 'node:fs';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { PIXEL_BYTES } from './raster-picture';
import type { OpenRaster, RasterPlace, TileAddress } from './raster-tiles';
import { TILE_PX, halveTiles, sampleTile } from './raster-tiles';

/** Version of the rules: another one asks for new tiles. */
export const RASTER_RULES = 1;

/** Tile in both formats; null without a visible pixel. */
export interface EncodedTile extends TileAddress {
  readonly images: { readonly webp: Uint8Array; readonly avif: Uint8Array } | null;
}

/** Tile from which those of lower zooms are made, as lossless WebP; null without a visible pixel. */
export interface WholeTile extends TileAddress {
  readonly whole: Uint8Array | null;
}

/** Structured-cloneable, for another process. */
export type BlockRequest =
  /** A tile and all below it, from decoded rasters (`decodeRaster`), the first one lowest. */
  | {
      readonly kind: 'block';
      readonly root: TileAddress;
      readonly maxZoom: number;
      readonly rasters: readonly (RasterPlace & { readonly file: string })[];
    }
  /** All tiles above those of one zoom. */
  | { readonly kind: 'top'; readonly zoom: number; readonly tiles: readonly WholeTile[] };

export interface CutBlock {
  readonly tiles: readonly EncodedTile[];
  /** Pixels of the block's root; null if not visible, or for the top. */
  readonly whole: Uint8Array | null;
}

/** Cuts the tiles of a block. The same pixels yield the same bytes. */
export async function cutBlock(request: BlockRequest): Promise<CutBlock> {
  const tiles: EncodedTile[] = [];
  if (request.kind === 'top') {
    const known = new Map(request.tiles.map(({ x, y, whole }) => [`${x} ${y}`, whole]));
    await cutDown({ z: 0, x: 0, y: 0 }, tiles, request.zoom, async ({ x, y }) => {
      const whole = known.get(`${x} ${y}`) ?? null;
      return whole === null ? null : await sharp(whole).ensureAlpha().raw().toBuffer();
    });
    return { tiles: tiles.filter(({ z }) => z < request.zoom), whole: null };
  }
  const rasters: OpenRaster[] = request.rasters.map((raster) => ({ ...raster, fd: openSync(raster.file, 'r') }));
  try {
    const root = await cutDown(request.root, tiles, request.maxZoom, (tile) =>
      Promise.resolve(sampleTile(rasters, tile)),
    );
    return {
      tiles,
      whole: root === null ? null : await picture(root).webp({ lossless: true, exact: true }).toBuffer(),
    };
  } finally {
    for (const { fd } of rasters) closeSync(fd);
  }
}

/** Cuts a tile and all below it; a tile is made of the four below, so that few are in memory at a time. */
async function cutDown(
  tile: TileAddress,
  tiles: EncodedTile[],
  maxZoom: number,
  deepest: (tile: TileAddress) => Promise<Uint8Array | null>,
): Promise<Uint8Array | null> {
  const pixels =
    tile.z === maxZoom ? await deepest(tile) : halveTiles(await cutChildren(tile, tiles, maxZoom, deepest));
  tiles.push({ ...tile, images: pixels === null ? null : await encode(pixels) });
  return pixels;
}

async function cutChildren(
  { z, x, y }: TileAddress,
  ...rest: [EncodedTile[], number, (tile: TileAddress) => Promise<Uint8Array | null>]
): Promise<readonly (Uint8Array | null)[]> {
  const children: (Uint8Array | null)[] = [];
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const)
    children.push(await cutDown({ z: z + 1, x: 2 * x + dx, y: 2 * y + dy }, ...rest));
  return children;
}

async function encode(pixels: Uint8Array): Promise<{ readonly webp: Uint8Array; readonly avif: Uint8Array }> {
  return {
    webp: await picture(pixels).webp({ quality: 80, effort: 4 }).toBuffer(),
    avif: await picture(pixels).avif({ quality: 55, effort: 3 }).toBuffer(),
  };
}

function picture(pixels: Uint8Array): Sharp {
  return sharp(pixels, { raw: { width: TILE_PX, height: TILE_PX, channels: PIXEL_BYTES } });
}
