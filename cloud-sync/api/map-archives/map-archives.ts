import { createHash } from 'node:crypto';
import path from 'node:path';
import type pg from 'pg';
import type { MapLayerMeta } from '../../../src/domain/results/region-meta';
import type { Disk } from '../../../src/server/files/disk';
import { isMissing, realDisk } from '../../../src/server/files/disk';
import type { ArchiveLocator } from '../../../src/server/tiles/tile-sources';

const PIECE_BYTES = 1024 * 1024;

/** Facts that are stored with an archive. */
export interface ArchiveFacts extends Pick<MapLayerMeta, 'name' | 'attribution' | 'bounds' | 'minZoom' | 'maxZoom'> {
  /** `raster-avif`: twin of a raster, which no contents list names. */
  readonly kind: MapLayerMeta['kind'] | 'raster-avif';
  /** Hash of what it is built from. */
  readonly builtFrom: string;
}

interface ArchiveRow {
  readonly sha256: string;
  readonly bytes: string;
}

/**
 * Archives of map tiles. The database has them, so that every process of the service serves the same bytes; a process
 * writes an archive to a file of its own when it is asked for first.
 */
export class MapArchives implements ArchiveLocator {
  readonly #pool: pg.Pool;
  readonly #folder: string;
  readonly #disk: Disk;
  /** Files being written, by hash. */
  readonly #writing = new Map<string, Promise<void>>();

  /** @param folder created when the first archive is written */
  constructor(pool: pg.Pool, folder: string, disk: Disk = realDisk) {
    this.#pool = pool;
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Layers of a region's contents list (`RegionMeta.layers`), by name. */
  async mapLayers(regionId: string): Promise<readonly MapLayerMeta[]> {
    const { rows } = await this.#pool.query<MapLayerMeta & { readonly bytes: number }>(
      `SELECT name, kind, attribution, bounds, min_zoom AS "minZoom", max_zoom AS "maxZoom", bytes::float8 AS bytes, sha256
       FROM map_archives WHERE region_id = $1 AND kind <> 'raster-avif' ORDER BY name`,
      [regionId],
    );
    return rows;
  }

  async locate(name: string): Promise<{ readonly file: string; readonly etag: string } | null> {
    const { rows } = await this.#pool.query<ArchiveRow>({
      name: 'map-archive',
      text: 'SELECT sha256, bytes FROM map_archives WHERE name = $1',
      values: [name],
    });
    const [row] = rows;
    if (row === undefined) return null;
    const file = path.join(this.#folder, `${row.sha256}.pmtiles`);
    if ((await this.#disk.size(file)) !== Number(row.bytes)) await this.#writeOnce(row.sha256, file);
    return { file, etag: `"${row.sha256}"` };
  }

  /** Hashes of what the region's archives were built from, by name. */
  async built(regionId: string): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#pool.query<{ name: string; builtFrom: string }>(
      'SELECT name, built_from AS "builtFrom" FROM map_archives WHERE region_id = $1',
      [regionId],
    );
    return new Map(rows.map(({ name, builtFrom }) => [name, builtFrom]));
  }

  /** Stores a whole archive in one transaction: until it ends, the one before is served. */
  async store(regionId: string, plan: ArchiveFacts, archive: Uint8Array): Promise<void> {
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      for (let n = 0; n * PIECE_BYTES < archive.length; n++)
        await client.query(
          'INSERT INTO map_archive_pieces (sha256, n, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [sha256, n, Buffer.from(archive.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES))],
        );
      await client.query(
        `INSERT INTO map_archives (name, region_id, kind, attribution, bounds, min_zoom, max_zoom, bytes, sha256, built_from)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, attribution = excluded.attribution, bounds = excluded.bounds, min_zoom = excluded.min_zoom,
           max_zoom = excluded.max_zoom, bytes = excluded.bytes, sha256 = excluded.sha256, built_from = excluded.built_from, built_at = now()`,
        [
          plan.name,
          regionId,
          plan.kind,
          plan.attribution,
          plan.bounds,
          plan.minZoom,
          plan.maxZoom,
          archive.length,
          sha256,
          plan.builtFrom,
        ],
      );
      await deleteUnused(client);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  /** Removes archives of layers that are gone. @param names those that stay */
  async keepOnly(regionId: string, names: readonly string[]): Promise<boolean> {
    // A release stays: its figures were cited. Rasters have jobs of their own.
    return this.#delete(`region_id = $1 AND NOT kind IN ('results', 'raster', 'raster-avif') AND NOT name = ANY ($2)`, [
      regionId,
      names,
    ]);
  }

  /** Removes archives by name. @returns true if there was one */
  remove(names: readonly string[]): Promise<boolean> {
    return this.#delete('name = ANY ($1)', [names]);
  }

  async #delete(condition: string, values: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await this.#pool.query(`DELETE FROM map_archives WHERE ${condition}`, [...values]);
    if ((rowCount ?? 0) === 0) return false;
    await deleteUnused(this.#pool);
    return true;
  }

  #writeOnce(sha256: string, file: string): Promise<void> {
    const writing = this.#writing.get(sha256) ?? this.#write(sha256, file).finally(() => this.#writing.delete(sha256));
    this.#writing.set(sha256, writing);
    return writing;
  }

  async #write(sha256: string, file: string): Promise<void> {
    await this.#disk.mkdir(this.#folder);
    const unfinished = `${file}.new`;
    const hash = createHash('sha256');
    const fd = await this.#disk.open(unfinished, 'w');
    let isWhole = false;
    try {
      let at = 0;
      for (let n = 0; ; n++) {
        const { rows } = await this.#pool.query<{ bytes: Buffer }>(
          'SELECT bytes FROM map_archive_pieces WHERE sha256 = $1 AND n = $2',
          [sha256, n],
        );
        const piece = rows[0]?.bytes;
        if (piece === undefined) break;
        hash.update(piece);
        await this.#disk.write(fd, [piece], at);
        at += piece.length;
      }
      await this.#disk.fsync(fd);
      isWhole = hash.digest('hex') === sha256;
      if (!isWhole) throw new Error(`The archive ${sha256} in the database is damaged.`);
    } finally {
      await this.#disk.close(fd);
      // Half a file would take the room of the next attempt.
      if (!isWhole) await this.#disk.unlink(unfinished).catch(() => undefined);
    }
    await this.#disk.rename(unfinished, file);
    await this.#disk.fsyncDir(this.#folder);
    await this.#deleteOldFiles();
  }

  /** An archive that is still read stays open until then. */
  async #deleteOldFiles(): Promise<void> {
    const { rows } = await this.#pool.query<{ sha256: string }>('SELECT sha256 FROM map_archives');
    const needed = new Set(rows.map(({ sha256 }) => `${sha256}.pmtiles`));
    for (const name of await this.#disk.readdir(this.#folder))
      if (name.endsWith('.pmtiles') && !needed.has(name))
        await this.#disk.unlink(path.join(this.#folder, name)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
  }
}

async function deleteUnused(client: pg.Pool | pg.PoolClient): Promise<void> {
  await client.query('DELETE FROM map_archive_pieces WHERE NOT sha256 IN (SELECT sha256 FROM map_archives)');
}
