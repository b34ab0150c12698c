import type pg from 'pg';
import type { Logger } from 'pino';
import type { Disk } from '../../src/server/files/disk';
import type { FigureServices } from './consensus/open-figures';
import { openFigures } from './consensus/open-figures';
import { regionFigures } from './consensus/results/region-figures';
import type { JobList } from './jobs/jobs';
import type { MapServices } from './map-archives/open-maps';
import { openMaps } from './map-archives/open-maps';
import type { RegionDataServices } from './region-data/open-region-data';
import { openRegionData } from './region-data/open-region-data';
import type { PgAppendStore } from './store/pg-append-store';

interface CensusParts {
  readonly pool: pg.Pool;
  readonly store: PgAppendStore;
  /** Data folder of the service. */
  readonly home: string;
  readonly isDemo: boolean;
  readonly disk?: Disk | undefined;
  /** Folder of the bundled chart. */
  readonly tilesFolder?: string | null | undefined;
  /** Photographs of a batch of the census; 5,000 by default. */
  readonly batchSize?: number | undefined;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Services of what the census publishes: the regions' data, figures and maps. */
export interface CensusServices extends RegionDataServices, FigureServices, MapServices {
  readonly census: {
    readonly lists: readonly JobList[];
    readonly start: () => void;
    readonly close: () => Promise<void>;
  };
}

export async function openCensus(parts: CensusParts): Promise<CensusServices> {
  const { pool, store, home, isDemo, disk, tilesFolder = null, batchSize, clock, log } = parts;
  const publishMeta = (regionId: string): Promise<void> => regionData.regionFiles.publishMeta(regionId);
  const maps = openMaps({ pool, home, disk, tilesFolder, publishMeta, log });
  const regionData = await openRegionData({
    pool,
    store,
    isDemo,
    figures: (regionId) => regionFigures(pool, regionId),
    layers: (regionId) => maps.mapArchives.mapLayers(regionId),
    requestFigures: () => figures.figureJobs.request(),
    clock,
    log,
  });
  const figures = openFigures({
    pool,
    store,
    isDemoMode: isDemo,
    publishMeta: (regionId) => regionData.regionFiles.publishFigures(regionId),
    batchSize,
    clock,
    log,
  });
  return {
    ...regionData,
    ...figures,
    ...maps,
    census: {
      lists: [
        { name: 'places', tasks: regionData.placeJobs.tasks },
        { name: 'figures', tasks: figures.figureJobs.tasks },
        { name: 'skill', tasks: figures.figureJobs.renewTasks },
        maps.archiveJobs.list,
        maps.rasterJobs.list,
      ],
      start: () => {
        regionData.placeJobs.enqueueSoon();
        figures.figureFollower.follow();
        figures.nightlyRenewal.start();
        maps.archiveJobs.start();
      },
      close: async () => {
        await regionData.placeJobs.close();
        await figures.closeFigures();
        await maps.archiveJobs.close();
        maps.rasterJobs.close();
      },
    },
  };
}
