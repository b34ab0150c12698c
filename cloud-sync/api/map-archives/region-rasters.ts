import { createHash } from 'node:crypto';
import path from 'node:path';
import type pg from 'pg';
import type { GeoBounds } from '../../../src/geo/outline';
import { RASTER_RULES } from '../../../src/server/map-tiles/raster-block';
import { PIXEL_BYTES } from '../../../src/server/map-tiles/raster-picture';
import { runRaster } from '../../../src/server/map-tiles/raster-process';
import type { RasterPlace, RasterProjection } from '../../../src/server/map-tiles/raster-tiles';
import type { Disk } from '../../../src/server/files/disk';

/** Bytes of a picture that are read from the database at a time. */
const PIECE_BYTES = 1024 * 1024;

/** Imported raster of a region. */
export interface RegionRaster extends RasterPlace {
  readonly layer: string;
  readonly attribution: string;
  readonly sha256: string;
}

/** Rasters of a region in the order in which they are drawn. */
export async function regionRasters(pool: pg.Pool, regionId: string): Promise<readonly RegionRaster[]> {
  const { rows } = await pool.query<
    RegionRaster & { readonly projection: RasterProjection; readonly bounds: GeoBounds }
  >(
    `SELECT layer, attribution, bounds, projection, width, height, sha256 FROM map_layers
     WHERE region_id = $1 AND raster IS NOT NULL ORDER BY layer`,
    [regionId],
  );
  return rows;
}

/** Hash of rasters and rules: equal ones have equal tiles. */
export function builtFrom(rasters: readonly RegionRaster[]): string {
  return createHash('sha256')
    .update(`${RASTER_RULES} ${JSON.stringify(rasters)}`)
    .digest('hex');
}

/** Decoded pixels of rasters as files: made when they are needed, deleted with {@link clear}. */
export class RasterFiles {
  readonly #pool: pg.Pool;
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(pool: pg.Pool, folder: string, disk: Disk) {
    this.#pool = pool;
    this.#folder = folder;
    this.#disk = disk;
  }

  /** File of plain pixels of a raster. @throws Error for a damaged picture or a full disk */
  async decoded(
    regionId: string,
    { layer, sha256, width, height }: RegionRaster,
    signal: AbortSignal,
  ): Promise<string> {
    const file = path.join(this.#folder, `${sha256}.pixels`);
    if ((await this.#disk.size(file)) === width * height * PIXEL_BYTES) return file;
    await this.#disk.mkdir(this.#folder);
    const source = path.join(this.#folder, `${sha256}.picture`);
    try {
      await this.#write(regionId, layer, source);
      await runRaster({ kind: 'decode', file: source, target: file, size: { width, height } }, signal);
    } finally {
      await this.#remove(source);
    }
    return file;
  }

  /** Deletes the files of all rasters but these. */
  async clear(kept: readonly RegionRaster[] = []): Promise<void> {
    const names = await this.#disk.readdir(this.#folder).catch(() => []);
    for (const name of names)
      if (!kept.some(({ sha256 }) => name === `${sha256}.pixels`)) await this.#remove(path.join(this.#folder, name));
  }

  async #write(regionId: string, layer: string, file: string): Promise<void> {
    const fd = await this.#disk.open(file, 'w');
    try {
      for (let at = 0; ;) {
        const { rows } = await this.#pool.query<{ piece: Buffer | null }>(
          'SELECT substring(raster FROM $3 FOR $4) AS piece FROM map_layers WHERE region_id = $1 AND layer = $2',
          [regionId, layer, at + 1, PIECE_BYTES],
        );
        const piece = rows[0]?.piece;
        if (piece === undefined || piece === null || piece.length === 0) return;
        await this.#disk.write(fd, [piece], at);
        at += piece.length;
      }
    } finally {
      await this.#disk.close(fd);
    }
  }

  async #remove(file: string): Promise<void> {
    if ((await this.#disk.size(file)) !== undefined) await this.#disk.unlink(file);
  }
}
