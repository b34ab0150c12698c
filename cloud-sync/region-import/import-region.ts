import type pg from 'pg';
import type { RegionId } from '../../src/domain/region/region-id';
import { REGIONS } from '../../src/domain/region/regions';
import type { GeoBounds } from '../../src/geo/outline';
import { queueJob } from '../api/jobs/queue-job';
import { inTransaction } from '../api/postgres/with-client';
import { wantRefresh } from '../api/region-data/region-refresh';
import { importOutlines } from './import-outlines';
import type { ImportReport, LayerReport } from './import-report';
import { LayerNotes } from './import-report';
import { importSites } from './import-sites';
import type { ImportedRaster, RasterFile } from './read-raster';
import { readRaster } from './read-raster';
import type { SiteOption } from './site-layers';
import { SITE_LAYERS } from './site-layers';

/** Files to import for a region, each with its attribution. */
export interface ImportPlan {
  readonly regionId: RegionId;
  readonly outlines: { readonly files: readonly string[]; readonly attribution: string } | null;
  readonly sites: readonly {
    readonly option: SiteOption;
    readonly files: readonly string[];
    readonly attribution: string;
  }[];
  readonly rasters: readonly RasterFile[];
}

/**
 * Imports files of a region in one transaction: all of them, or nothing. What was computed stays; surveys are placed again
 * by the service.
 *
 * @param by who imports, for the report that is stored
 * @throws ImportError if a file cannot be imported
 */
export function importRegion(pool: pg.Pool, plan: ImportPlan, by: string, now: Date): Promise<ImportReport> {
  const { regionId } = plan;
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`region-import ${regionId}`]);
    const layers: LayerReport[] = [];
    const store = async (notes: LayerNotes, facts: LayerFacts): Promise<void> => {
      await putLayer(client, regionId, facts, notes.imported, now);
      layers.push(notes.report);
    };
    if (plan.outlines !== null) {
      const notes = new LayerNotes('surveyedReefs');
      await importOutlines(client, regionId, plan.outlines.files, notes);
      await store(notes, { layer: 'surveyedReefs', attribution: plan.outlines.attribution });
    }
    for (const { option, files, attribution } of plan.sites) {
      const notes = new LayerNotes(SITE_LAYERS[option]);
      await importSites(client, regionId, { option, files }, notes);
      await store(notes, { layer: SITE_LAYERS[option], attribution });
    }
    for (const raster of plan.rasters) {
      const layer = `raster-${raster.name}`;
      const notes = new LayerNotes(layer);
      notes.imported = 1;
      await store(notes, {
        layer,
        attribution: raster.attribution,
        bounds: raster.bounds,
        raster: await readRaster(raster),
      });
    }
    const report: ImportReport = { regionId, layers };
    await client.query('INSERT INTO map_imports (region_id, at, by, report) VALUES ($1, $2, $3, $4)', [
      regionId,
      now,
      by,
      JSON.stringify(report),
    ]);
    await wantRefresh(client, regionId);
    await wakeService(client);
    return report;
  });
}

interface LayerFacts {
  readonly layer: string;
  readonly attribution: string;
  readonly bounds?: GeoBounds;
  readonly raster?: ImportedRaster;
}

async function putLayer(
  client: pg.PoolClient,
  regionId: RegionId,
  { layer, attribution, bounds, raster }: LayerFacts,
  entries: number,
  now: Date,
): Promise<void> {
  await client.query(
    `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, raster, projection, width, height, sha256, imported_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (region_id, layer) DO UPDATE SET attribution = excluded.attribution, bounds = excluded.bounds, entries = excluded.entries, raster = excluded.raster,
       projection = excluded.projection, width = excluded.width, height = excluded.height, sha256 = excluded.sha256, imported_at = excluded.imported_at`,
    [
      regionId,
      layer,
      attribution,
      bounds ?? REGIONS[regionId].mapBounds,
      entries,
      raster?.bytes ?? null,
      raster?.projection ?? null,
      raster?.width ?? null,
      raster?.height ?? null,
      raster?.sha256 ?? null,
      now,
    ],
  );
}

/** Queues the service's job; a service that has never run finds the request when it starts. */
async function wakeService(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ queue: string | null }>(
    `SELECT to_regclass('graphile_worker.jobs')::text AS queue`,
  );
  if ((rows[0]?.queue ?? null) === null) return;
  await queueJob(client, { task: 'survey-places', key: 'survey-places' });
}
