import { z } from 'zod';
import type { ArchiveRow } from '../../../src/server/map-tiles/build-archive';

const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** Rows of `results.json` (`ReefResult`), with the members that the archive shows. */
const resultSchema = z.looseObject({
  featureId: z.string(),
  datasetId: z.string(),
  year: z.string(),
  covers: z.record(z.string(), estimateSchema).nullable(),
  dominantCoral: z.string().nullable(),
  lastSurveyed: z.string().nullable(),
  photographs: z.number(),
  analysts: z.number(),
  surveys: z.number(),
  versions: z.looseObject({ skill: z.number(), pipeline: z.number(), release: z.number().nullable() }),
});

/** Feature of the map as archives need it; `n` is its row number. */
export interface FeatureFacts {
  readonly id: string;
  readonly n: number;
  readonly name: string;
  readonly longitude: number;
  readonly latitude: number;
  readonly geometry: string | null;
}

/**
 * Outlines with the figures of the latest release as attributes, for programs without the tables, such as QGIS; one row
 * a reef and dataset.
 *
 * @returns null before the first release
 */
export function resultRows(
  body: Buffer,
  features: readonly FeatureFacts[],
): { readonly release: number; readonly rows: readonly ArchiveRow[] } | null {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  const results = z.array(resultSchema).safeParse(Array.isArray(parsed) ? parsed : Object(parsed)['results']);
  if (!results.success) return null;
  const releases = results.data.flatMap(({ versions }) => (versions.release === null ? [] : [versions.release]));
  if (releases.length === 0) return null;
  const release = releases.reduce((a, b) => Math.max(a, b));
  const byId = new Map(features.map((feature) => [feature.id, feature]));
  const rows: ArchiveRow[] = [];
  for (const result of results.data) {
    const feature = byId.get(result.featureId);
    if (feature === undefined || result.versions.release !== release) continue;
    const { longitude, latitude, geometry } = feature;
    rows.push({ id: rows.length, longitude, latitude, geometry, properties: attributesOf(result, feature) });
  }
  return rows.length === 0 ? null : { release, rows };
}

function attributesOf(
  result: z.infer<typeof resultSchema>,
  { n, name }: FeatureFacts,
): Record<string, number | string> {
  const covers = Object.entries(result.covers ?? {}).flatMap(([key, { value, low, high }]) => [
    [key, value],
    [`${key}Low`, low],
    [`${key}High`, high],
  ]);
  return {
    featureId: result.featureId,
    row: n,
    name,
    dataset: result.datasetId,
    year: result.year,
    ...Object.fromEntries(covers),
    ...(result.dominantCoral === null ? {} : { dominantCoral: result.dominantCoral }),
    ...(result.lastSurveyed === null ? {} : { lastSurveyed: result.lastSurveyed }),
    photographs: result.photographs,
    analysts: result.analysts,
    surveys: result.surveys,
    skill: result.versions.skill,
    pipeline: result.versions.pipeline,
    release: result.versions.release ?? 0,
  };
}
