import type pg from 'pg';

type Client = Pick<pg.ClientBase, 'query'>;

/** Counts the public surveys and photographs of features in datasets. @param pairs dataset and feature, of one region */
export async function countFeatures(
  client: Client,
  regionId: string,
  pairs: readonly (readonly [datasetId: string, featureId: string])[],
): Promise<void> {
  if (pairs.length === 0) return;
  const values = [regionId, pairs.map(([datasetId]) => datasetId), pairs.map(([, featureId]) => featureId)];
  await client.query(
    'DELETE FROM feature_counts c USING unnest($2::text[], $3::text[]) AS k(d, f) WHERE c.region_id = $1 AND c.dataset_id = k.d AND c.feature_id = k.f',
    values,
  );
  await client.query(
    `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images)
     SELECT $1, k.d, k.f, count(*), sum(p.images) FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS k(d, f)) k
     JOIN survey_places p ON p.region_id = $1 AND p.feature_id = k.f AND p.is_public AND p.dataset_ids @> ARRAY[k.d]
     GROUP BY k.d, k.f ON CONFLICT DO NOTHING`,
    values,
  );
}

/** Counts all of a region's features in its datasets. @param datasetIds only these; by default all */
export async function countAllFeatures(
  client: Client,
  regionId: string,
  datasetIds?: readonly string[],
): Promise<void> {
  const values = [regionId, datasetIds ?? null];
  await client.query(
    'DELETE FROM feature_counts WHERE region_id = $1 AND ($2::text[] IS NULL OR dataset_id = ANY($2))',
    values,
  );
  await client.query(
    `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images)
     SELECT $1, d, p.feature_id, count(*), sum(p.images) FROM survey_places p, unnest(p.dataset_ids) d
     WHERE p.region_id = $1 AND p.is_public AND p.feature_id IS NOT NULL AND ($2::text[] IS NULL OR d = ANY($2))
     GROUP BY d, p.feature_id`,
    values,
  );
}

/** Counts of datasets (1§3 "stats"); times move only with the numbers. */
export async function countDatasets(
  client: Client,
  regionId: string,
  datasetIds: readonly string[],
  now: Date,
): Promise<void> {
  await client.query(
    `INSERT INTO dataset_stats AS s (region_id, dataset_id, surveys, images, reefs, updated_at)
     SELECT $1, d, count(p.survey_id), coalesce(sum(p.images), 0), count(DISTINCT p.feature_id), $3
     FROM unnest($2::text[]) d LEFT JOIN survey_places p ON p.is_public AND p.region_id = $1 AND p.dataset_ids @> ARRAY[d]
     GROUP BY d
     ON CONFLICT (region_id, dataset_id) DO UPDATE SET surveys = excluded.surveys, images = excluded.images, reefs = excluded.reefs, updated_at = excluded.updated_at
     WHERE (s.surveys, s.images, s.reefs) IS DISTINCT FROM (excluded.surveys, excluded.images, excluded.reefs)`,
    [regionId, [...new Set(datasetIds)].sort(), now],
  );
}
