import { z } from 'zod';
import type { ArchiveRow } from '../../../src/server/map-tiles/build-archive';

const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** Row of a release's `results.json` (`ReefResult`), with the members that the archive shows. */
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

const fileSchema = z.object({ results: z.array(resultSchema) });

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
 * Outlines with the figures of a release as attributes, for programs without the tables, such as QGIS; one row a reef and
 * dataset. Reefs that have left the map since are left out.
 *
 * @param body `results.json` of the release; without a row if it is not valid
 */
export function resultRows(body: Buffer, features: readonly FeatureFacts[]): readonly ArchiveRow[] {
  const file = fileSchema.safeParse(JSON.parse(body.toString('utf8')));
  const byId = new Map(features.map((feature) => [feature.id, feature]));
  const shown = (file.data?.results ?? []).flatMap((result) => {
    const feature = byId.get(result.featureId);
    return feature === undefined ? [] : [{ result, feature }];
  });
  return shown.map(({ result, feature }, id) => {
    const { longitude, latitude, geometry } = feature;
    return { id, longitude, latitude, geometry, properties: attributesOf(result, feature) };
  });
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
