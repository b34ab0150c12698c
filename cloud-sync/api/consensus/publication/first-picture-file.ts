import type pg from 'pg';
import { REGION_LIST } from '../../../../src/domain/region/regions';
import type { FeatureTable } from '../../../../src/domain/results/feature-table';
import type { DegreeRing } from '../../../../src/domain/results/first-picture/encode-first-picture';
import { encodeFirstPicture } from '../../../../src/domain/results/first-picture/encode-first-picture';
import type { ReefResult } from '../../../../src/domain/results/reef-result';
import { regionFigures } from '../results/region-figures';

/** Features whose outlines may be drawn: the largest, and those with a result. */
const OUTLINES_MAX = 2000;

/**
 * First picture of a region (see `encodeFirstPicture`): results of the dataset that its report opens with, else of that
 * with most results. Null for a region without features.
 */
export async function firstPictureOf(
  pool: pg.Pool,
  table: FeatureTable,
  results: readonly ReefResult[],
): Promise<string | null> {
  if (table.ids.length === 0) return null;
  const { asOf, datasets } = await regionFigures(pool, table.regionId);
  const datasetId = datasetOf(table.regionId, results);
  return encodeFirstPicture({
    table,
    results,
    datasetId,
    asOf,
    versions: datasets.get(datasetId)?.versions ?? { skill: 0, pipeline: 0, release: null },
    bounds: boundsOf(table),
    outlines: await outlinesOf(pool, table),
    land: await landOf(pool, table.regionId),
  });
}

function datasetOf(regionId: string, results: readonly ReefResult[]): string {
  const counts = new Map<string, number>();
  for (const { datasetId, covers } of results)
    counts.set(datasetId, (counts.get(datasetId) ?? 0) + (covers === null ? 0 : 1));
  const opened = REGION_LIST.find((region) => region.regionId === regionId)?.reportingDatasetId ?? '';
  if (counts.has(opened)) return opened;
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return most?.[0] ?? opened;
}

/** Box of all features that do not cross the 180th meridian. */
function boundsOf({ bounds }: FeatureTable): readonly [number, number, number, number] {
  const inside = bounds.filter(([west, , east]) => west <= east);
  const side = (i: 0 | 1 | 2 | 3, pick: (a: number, b: number) => number): number =>
    inside.reduce((found, box) => pick(found, box[i]), inside[0]?.[i] ?? 0);
  return [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)];
}

async function outlinesOf(
  pool: pg.Pool,
  { regionId }: FeatureTable,
): Promise<ReadonlyMap<number, readonly DegreeRing[]>> {
  const { rows } = await pool.query<{ row_number: number; geometry: string }>(
    `SELECT f.row_number, f.geometry FROM map_features f WHERE f.region_id = $1 AND f.geometry IS NOT NULL AND NOT f.deleted
     ORDER BY EXISTS (SELECT FROM reef_results r WHERE r.region_id = f.region_id AND r.feature_id = f.id) DESC,
       (f.bounds[3] - f.bounds[1]) * (f.bounds[4] - f.bounds[2]) DESC, f.row_number LIMIT ${OUTLINES_MAX}`,
    [regionId],
  );
  return new Map(rows.map(({ row_number: row, geometry }) => [row, outerRings(JSON.parse(geometry))]));
}

/** Rings of the imported land, largest first. */
async function landOf(pool: pg.Pool, regionId: string): Promise<readonly DegreeRing[]> {
  const { rows } = await pool.query<{ geometry: string }>(
    `SELECT geometry FROM map_sites WHERE region_id = $1 AND layer = 'land' AND geometry IS NOT NULL ORDER BY id`,
    [regionId],
  );
  return rows
    .flatMap(({ geometry }) => outerRings(JSON.parse(geometry)))
    .map((ring) => ({ ring, size: boxSize(ring) }))
    .sort((a, b) => b.size - a.size)
    .map(({ ring }) => ring);
}

/** Area of a ring's box, square degrees. */
function boxSize(ring: DegreeRing): number {
  const side = (axis: 0 | 1): number => {
    const values = ring.map((point) => point[axis]);
    return values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);
  };
  return side(0) * side(1);
}

function outerRings(geometry: unknown): readonly DegreeRing[] {
  const { type, coordinates } = geometry as { readonly type: string; readonly coordinates: unknown };
  if (type === 'Polygon') return (coordinates as readonly DegreeRing[]).slice(0, 1);
  if (type === 'MultiPolygon')
    return (coordinates as readonly (readonly DegreeRing[])[]).flatMap((rings) => rings.slice(0, 1));
  return [];
}
