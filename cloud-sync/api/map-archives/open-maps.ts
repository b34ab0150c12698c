import path from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Disk } from '../../../src/server/files/disk';
import { TileSources } from '../../../src/server/tiles/tile-sources';
import { realDisk } from '../../../src/server/files/disk';
import { ArchiveJobs } from './archive-jobs';
import { MapArchives } from './map-archives';
import { RasterJobs } from './raster-jobs';
import { RasterFiles } from './region-rasters';

interface MapsOptions {
  readonly pool: pg.Pool;
  /** Data folder of the service. */
  readonly home: string;
  readonly disk: Disk | undefined;
  /** Folder of the bundled chart. */
  readonly tilesFolder: string | null;
  /** Publishes the contents list of a region, which names its archives. */
  readonly publishMeta: (regionId: string) => Promise<void>;
  readonly log: Logger;
}

/** Services of the map, members of the context. */
export interface MapServices {
  readonly mapArchives: MapArchives;
  readonly archiveJobs: ArchiveJobs;
  readonly rasterJobs: RasterJobs;
  readonly tiles: TileSources;
}

export function openMaps({ pool, home, disk, tilesFolder, publishMeta, log }: MapsOptions): MapServices {
  const archives = new MapArchives(pool, path.join(home, 'maps'), disk);
  const files = new RasterFiles(pool, path.join(home, 'rasters'), disk ?? realDisk);
  const rasterJobs = new RasterJobs({ pool, archives, files, onChanged: publishMeta, log });
  const places = [archives, ...(tilesFolder === null ? [] : [tilesFolder])];
  return {
    mapArchives: archives,
    archiveJobs: new ArchiveJobs({ pool, archives, rasters: rasterJobs, onChanged: publishMeta, log }),
    rasterJobs,
    tiles: new TileSources(places, (message) => log.error(message)),
  };
}
