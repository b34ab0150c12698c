import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { RegionId } from '../../src/domain/region/region-id';
import { REGIONS } from '../../src/domain/region/regions';
import type { GeoBounds } from '../../src/geo/outline';
import { inTransaction } from '../api/postgres/with-client';
import { wantRefresh } from '../api/region-data/region-refresh';
import { ImportError } from './import-error';
import { importOutlines } from './import-outlines';
import type { ImportReport, LayerReport } from './import-report';
import { LayerNotes } from './import-report';
import { importSites } from './import-sites';
import type { SiteOption } from './site-layers';
import { SITE_LAYERS } from './site-layers';

export interface RasterFile {
  readonly name: string;
  readonly file: string;
  readonly bounds: GeoBounds;
  readonly attribution: string;
}

/** Files to import for a region, each with its attribution. */
export interface ImportPlan {
  readonly regionId: RegionId;
  readonly outlines: { readonly files: readonly string[]; readonly attribution: string } | null;
  readonly sites: readonly { readonly option: SiteOption; readonly file: string; readonly attribution: string }[];
  readonly rasters: readonly RasterFile[];
}

/** Pictures of rasters, by their first bytes. */
const MEDIA_TYPES: readonly (readonly [type: string, isType: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))],
  ['image/jpeg', (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
  ['image/avif', (bytes) => bytes.toString('latin1', 4, 12) === 'ftypavif'],
];
const RASTER_MAX = 100 * 1024 * 1024;

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
    for (const { option, file, attribution } of plan.sites) {
      const notes = new LayerNotes(SITE_LAYERS[option]);
      await importSites(client, regionId, { option, file }, notes);
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
        ...(await readRaster(raster)),
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
  readonly raster?: Buffer;
  readonly mediaType?: string;
}

async function putLayer(
  client: pg.PoolClient,
  regionId: RegionId,
  { layer, attribution, bounds, raster, mediaType }: LayerFacts,
  entries: number,
  now: Date,
): Promise<void> {
  await client.query(
    `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, raster, media_type, imported_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (region_id, layer) DO UPDATE SET attribution = excluded.attribution, bounds = excluded.bounds, entries = excluded.entries,
       raster = excluded.raster, media_type = excluded.media_type, imported_at = excluded.imported_at`,
    [
      regionId,
      layer,
      attribution,
      bounds ?? REGIONS[regionId].mapBounds,
      entries,
      raster ?? null,
      mediaType ?? null,
      now,
    ],
  );
}

async function readRaster({ file }: RasterFile): Promise<{ readonly raster: Buffer; readonly mediaType: string }> {
  const name = path.basename(file);
  const raster = await readFile(file).catch((error: unknown) => {
    throw new ImportError(`${name} could not be read.`, { cause: error });
  });
  if (raster.length > RASTER_MAX) throw new ImportError(`${name} has more than ${RASTER_MAX / 1024 / 1024} MB.`);
  const mediaType = MEDIA_TYPES.find(([, isType]) => isType(raster))?.[0];
  if (mediaType === undefined) throw new ImportError(`${name} is no picture (PNG, JPEG, WebP or AVIF).`);
  return { raster, mediaType };
}

/** Queues the service's job; a service that has never run finds the request when it starts. */
async function wakeService(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ queue: string | null }>(
    `SELECT to_regclass('graphile_worker.jobs')::text AS queue`,
  );
  if ((rows[0]?.queue ?? null) === null) return;
  await client.query(
    `SELECT (graphile_worker.add_job('survey-places', '{}'::json, job_key := 'survey-places', max_attempts := 25)).id`,
  );
}
