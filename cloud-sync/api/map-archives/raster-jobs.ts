import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RegionId } from '../../../src/domain/region/region-id';
import { regionIdSchema } from '../../../src/domain/region/region';
import type { GeoBounds } from '../../../src/geo/outline';
import { runRaster } from '../../../src/server/map-tiles/raster-process';
import { rasterZoom, tilesOver } from '../../../src/server/map-tiles/raster-tiles';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import type { JobList } from '../jobs/jobs';
import { queueJob } from '../jobs/queue-job';
import type { ArchiveFacts, MapArchives } from './map-archives';
import { RasterProgress } from './raster-progress';
import type { RasterFiles, RegionRaster } from './region-rasters';
import { builtFrom, regionRasters } from './region-rasters';

const TASK = 'map-rasters';
const jobSchema = z.object({ regionId: regionIdSchema });
/** Levels of a block: 21 tiles, some seconds of work. */
const BLOCK_LEVELS = 2;
/** Archives of a region's rasters: the tiles in WebP, and their twin for callers that accept AVIF. */
const FORMATS = [
  { kind: 'raster', format: 'webp', ending: '' },
  { kind: 'raster-avif', format: 'avif', ending: '-avif' },
] as const;

interface RasterJobsOptions {
  readonly pool: pg.Pool;
  readonly archives: MapArchives;
  readonly files: RasterFiles;
  /** Called after a region's archives changed. */
  readonly onChanged: (regionId: string) => Promise<void>;
  readonly log: Logger;
}

/**
 * Jobs that cut the rasters of a region into tiles, in a list of their own. Each cuts one block of tiles and queues the
 * next; a kill costs that block. Until the last is cut, the earlier archive is served.
 */
export class RasterJobs {
  readonly #options: RasterJobsOptions;
  readonly #ending = new AbortController();

  constructor(options: RasterJobsOptions) {
    this.#options = options;
  }

  get list(): JobList {
    const run = async (payload: unknown): Promise<void> => {
      const { regionId } = jobSchema.parse(payload);
      try {
        await this.run(regionId);
      } catch (error) {
        if (!this.#ending.signal.aborted)
          this.#options.log.warn({ err: error, regionId }, 'cutting a raster failed; it is tried again from there');
        throw error;
      }
    };
    const tasks: TaskList = { [TASK]: run };
    return { name: 'rasters', tasks };
  }

  async request(regionId: string): Promise<void> {
    await queueJob(this.#options.pool, { task: TASK, payload: { regionId }, key: `${TASK} ${regionId}` });
  }

  close(): void {
    this.#ending.abort();
  }

  /** Does the next step of a region, and queues the one after it. */
  async run(regionId: RegionId): Promise<void> {
    const { pool, archives, files, onChanged } = this.#options;
    const rasters = await regionRasters(pool, regionId);
    const from = builtFrom(rasters);
    const progress = new RasterProgress(pool, regionId, from);
    if (rasters.length === 0) {
      await progress.clear();
      await files.clear();
      if (await archives.remove(FORMATS.map(({ ending }) => `raster-${regionId}${ending}`))) await onChanged(regionId);
      return;
    }
    const built = await archives.built(regionId);
    const missing = FORMATS.filter(({ ending }) => built.get(`raster-${regionId}${ending}`) !== from);
    if (missing.length === 0) {
      await progress.clear();
      return files.clear();
    }
    await progress.clearOthers();
    if (await this.#cutNext(regionId, rasters, progress)) return this.request(regionId);
    for (const { kind, format, ending } of missing)
      await this.#store({ regionId, rasters, from, progress }, { kind, format, name: `raster-${regionId}${ending}` });
    await onChanged(regionId);
    // Clears what is left.
    await this.request(regionId);
  }

  /** Cuts the next block. @returns false if all are cut */
  async #cutNext(regionId: string, rasters: readonly RegionRaster[], progress: RasterProgress): Promise<boolean> {
    const { files } = this.#options;
    const maxZoom = zoomOf(rasters);
    const zoom = Math.max(0, maxZoom - BLOCK_LEVELS);
    const cut = new Set((await progress.roots()).map(({ x, y }) => `${x} ${y}`));
    const next = tilesOver(boundsOf(rasters), zoom).find(({ x, y }) => !cut.has(`${x} ${y}`));
    if (next === undefined) return false;
    const sources = [];
    for (const raster of rasters)
      sources.push({ ...raster, file: await files.decoded(regionId, raster, this.#ending.signal) });
    const block = await runRaster({ kind: 'block', root: next, maxZoom, rasters: sources }, this.#ending.signal);
    if (block !== null) await progress.store(block.tiles, { ...next, whole: block.whole });
    return true;
  }

  async #store(
    of: {
      readonly regionId: string;
      readonly rasters: readonly RegionRaster[];
      readonly from: string;
      readonly progress: RasterProgress;
    },
    { kind, format, name }: Pick<(typeof FORMATS)[number], 'kind' | 'format'> & { readonly name: string },
  ): Promise<void> {
    const { archives, log } = this.#options;
    const maxZoom = zoomOf(of.rasters);
    const zoom = Math.max(0, maxZoom - BLOCK_LEVELS);
    if (zoom > 0) {
      const top = await runRaster({ kind: 'top', zoom, tiles: await of.progress.wholes() }, this.#ending.signal);
      await of.progress.store(top?.tiles ?? [], null);
    }
    const tiles = await of.progress.tiles(format);
    if (tiles.length === 0) {
      log.warn({ name }, 'the rasters of a region have no visible pixel; it has no archive of them');
      return;
    }
    const bounds = boundsOf(of.rasters);
    const facts: ArchiveFacts = {
      name,
      kind,
      attribution: [...new Set(of.rasters.map(({ attribution }) => attribution))].sort().join('; '),
      bounds,
      minZoom: 0,
      maxZoom,
      builtFrom: of.from,
    };
    const archive = writePmtiles(tiles, {
      kind: format,
      bounds,
      minZoom: 0,
      maxZoom,
      center: [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2, 0],
      metadata: { name, attribution: facts.attribution, type: 'overlay', format },
    });
    await archives.store(of.regionId, facts, archive);
    log.info({ name, bytes: archive.length }, 'an archive of raster tiles was built');
  }
}

const zoomOf = (rasters: readonly RegionRaster[]): number => Math.max(...rasters.map(rasterZoom));

function boundsOf(rasters: readonly RegionRaster[]): GeoBounds {
  const side = (n: 0 | 1 | 2 | 3): readonly number[] => rasters.map(({ bounds }) => bounds[n]);
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(2)), Math.max(...side(3))];
}
