import type pg from 'pg';
import type { Logger } from 'pino';
import { seedDatasets } from '../datasets/dataset-rows';
import { Datasets } from '../datasets/datasets';
import type { PgAppendStore } from '../store/pg-append-store';
import { moveFormerFeatures } from './former-features';
import { PlaceJobs } from './place-jobs';
import type { RegionFileSources } from './region-files';
import { RegionFiles } from './region-files';

interface RegionDataParts {
  readonly pool: pg.Pool;
  readonly store: PgAppendStore;
  readonly isDemo: boolean;
  /** Figures of a region's datasets. */
  readonly figures: RegionFileSources['figures'];
  /** Archives of a region's map. */
  readonly layers: RegionFileSources['layers'];
  /** Asks for the figures that a change of places or datasets queued. */
  readonly requestFigures: () => Promise<void>;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Maps of the regions, and the datasets of their surveys. */
export interface RegionDataServices {
  readonly regionFiles: RegionFiles;
  readonly placeJobs: PlaceJobs;
  readonly datasets: Datasets;
}

/** Opens the services, moves features of earlier versions, and adds the first datasets of regions without any. */
export async function openRegionData(parts: RegionDataParts): Promise<RegionDataServices> {
  const { pool, clock } = parts;
  await moveFormerFeatures(pool, new Date(clock()), parts.log);
  await seedDatasets(pool, new Date(clock()).toISOString());
  const regionFiles = new RegionFiles(pool, { figures: parts.figures, layers: parts.layers });
  const placeJobs = new PlaceJobs({
    ...parts,
    // In the job, which a kill does not lose: the database queues figures, and nothing else asks for them.
    publish: async (regionId) => {
      await parts.requestFigures();
      await regionFiles.publish(regionId);
    },
  });
  const datasets = new Datasets({
    pool,
    clock,
    placer: placeJobs.placer,
    onRefresh: () => placeJobs.enqueueSoon(),
    onChanged: (regionIds) => placeJobs.requestFiles(regionIds),
  });
  return { regionFiles, placeJobs, datasets };
}
