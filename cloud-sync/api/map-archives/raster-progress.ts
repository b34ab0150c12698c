import type pg from 'pg';
import type { EncodedTile, WholeTile } from '../../../src/server/map-tiles/raster-block';
import type { TileAddress } from '../../../src/server/map-tiles/raster-tiles';
import { inTransaction } from '../postgres/with-client';

/** Tiles of a region's rasters that are cut already: a kill costs one block. */
export class RasterProgress {
  readonly #pool: pg.Pool;
  readonly #key: readonly [regionId: string, builtFrom: string];

  constructor(pool: pg.Pool, regionId: string, builtFrom: string) {
    this.#pool = pool;
    this.#key = [regionId, builtFrom];
  }

  /** Roots of the blocks that are cut. */
  async roots(): Promise<readonly TileAddress[]> {
    const { rows } = await this.#pool.query<TileAddress>(
      'SELECT z, x, y FROM raster_tiles WHERE region_id = $1 AND built_from = $2 AND is_root',
      [...this.#key],
    );
    return rows;
  }

  /** Pixels of the roots of blocks. */
  async wholes(): Promise<readonly WholeTile[]> {
    const { rows } = await this.#pool.query<WholeTile>(
      'SELECT z, x, y, whole FROM raster_tiles WHERE region_id = $1 AND built_from = $2 AND is_root',
      [...this.#key],
    );
    return rows;
  }

  /** Stores all tiles of a block, or none. @param root null for the top, which has none */
  async store(tiles: readonly EncodedTile[], root: WholeTile | null): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      for (const { z, x, y, images } of tiles) {
        const isRoot = root !== null && root.z === z && root.x === x && root.y === y;
        if (images === null && !isRoot) continue;
        await client.query(
          `INSERT INTO raster_tiles (region_id, built_from, z, x, y, webp, avif, is_root, whole) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT DO NOTHING`,
          [...this.#key, z, x, y, images?.webp ?? null, images?.avif ?? null, isRoot, isRoot ? root.whole : null],
        );
      }
    });
  }

  /** All visible tiles in one format. */
  async tiles(format: 'webp' | 'avif'): Promise<readonly (TileAddress & { readonly data: Buffer })[]> {
    const { rows } = await this.#pool.query<TileAddress & { readonly data: Buffer }>(
      `SELECT z, x, y, ${format} AS data FROM raster_tiles WHERE region_id = $1 AND built_from = $2 AND ${format} IS NOT NULL ORDER BY z, x, y`,
      [...this.#key],
    );
    return rows;
  }

  /** Removes the tiles of a region, also those of earlier rasters. */
  async clear(): Promise<void> {
    await this.#pool.query('DELETE FROM raster_tiles WHERE region_id = $1', [this.#key[0]]);
  }

  /** Removes the tiles of earlier rasters of the region. */
  async clearOthers(): Promise<void> {
    await this.#pool.query('DELETE FROM raster_tiles WHERE region_id = $1 AND built_from <> $2', [...this.#key]);
  }
}
