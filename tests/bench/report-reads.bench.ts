import pg from 'pg';
import type { Bench } from './tools/harness';
import { CLIENTS, measureReads, RIVAL } from './tools/read-rate';

const FEATURES = 4282;
const SURVEYS = 20_000;
const DATASETS = 6;
/** Reefs with a result in each dataset. */
const RESULTS = 800;
/** Photographs with a consensus of five people. */
const CONSENSUSES = 400;
const PEOPLE = 5;
/** Places in doubt of a photograph. */
const DOUBTS = 8;
/** Points of an outline, the mean of the Great Barrier Reef. */
const POINTS = 60;
const REQUESTS = 2_000;

/** Reads of the report (see `measureReads`): both sides read the same features, surveys and results. */
export const bench: Bench = {
  about: `reads of the report over ${FEATURES} reefs and ${SURVEYS} surveys to ${CLIENTS} clients, beside ${RIVAL}`,
  run: (say) => measureReads('report-reads', fill, reads(), say),
};

const featureId = (n: number): string => `reef-${String(n).padStart(5, '0')}`;

function reads() {
  const places = (name: string, query: (n: number) => string) =>
    Array.from({ length: REQUESTS }, (_, n) => `/api/query/${name}?${query(n * 7919)}`);
  const datasetId = (n: number): string => `grc${1 + (n % DATASETS)}`;
  const dataset = (n: number): string => `regionId=gbr&datasetId=${datasetId(n)}`;
  return [
    { what: 'dataset', places: places('dataset', dataset) },
    { what: 'counts of a dataset', places: places('dataset-stats', dataset) },
    { what: 'surveyed reefs, ten a page', places: places('surveyed-reefs', dataset) },
    { what: 'feature with its outline', places: places('feature', (n) => `featureId=${featureId(n % FEATURES)}`) },
    { what: 'surveys of a reef', places: places('surveys-of-location', (n) => `featureId=${featureId(n % FEATURES)}`) },
    {
      what: 'results of a reef',
      places: places('reef-results', (n) => `regionId=gbr&featureId=${featureId(n % RESULTS)}`),
    },
    {
      what: 'consensus of a photograph',
      places: places('image-consensus', (n) => `imageId=Image${String(n % CONSENSUSES).padStart(10, '0')}`),
    },
  ];
}

/** Creates the rows as import, feed and pipeline would have left them, in PostgreSQL itself. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const feature = `'reef-' || lpad((n % ${FEATURES})::text, 5, '0')`;
  const survey = `'Survey' || lpad(n::text, 10, '0')`;
  const at = `'2025-06-01T00:00:00.000Z'`;
  try {
    // Without triggers: no figure is computed from these rows.
    await client.query('SET session_replication_role = replica');
    await client.query(
      `INSERT INTO reference_documents (collection, id, doc)
       SELECT 'datasets', 'gbr/grc' || n, jsonb_build_object('id', 'grc' || n, 'regionId', 'gbr', 'name', 'Great Reef Census ' || n, 'shortName', 'GRC' || n, 'censusYear', (2019 + n)::text)
       FROM generate_series(1, ${DATASETS}) n ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc`,
    );
    await client.query(
      `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, geometry, original_geometry, imported)
       SELECT 'gbr', ${feature}, n, '10-' || n, 'Reef ' || n, 'Reef', x, y, ARRAY[x - 0.03, y - 0.03, x + 0.03, y + 0.03], ring, ring, '{"LABEL_ID":"10"}'
       FROM (SELECT n, 143 + n % 100 * 0.1 AS x, -24 + n % 130 * 0.1 AS y,
         (SELECT '{"type":"Polygon","coordinates":[[' || string_agg('[' || round((143 + n % 100 * 0.1 + 0.03 * cos(k * 0.1))::numeric, 5) || ',' || round((-24 + n % 130 * 0.1 + 0.03 * sin(k * 0.1))::numeric, 5) || ']', ',') || ']]}' FROM generate_series(1, ${POINTS}) k) AS ring
         FROM generate_series(0, ${FEATURES - 1}) n) f`,
    );
    await client.query(
      `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, counted, shown, owner, date, region_id, loc_id)
       SELECT 'survey', ${survey}, '{}', false, ${at}, ${at}, '[]',
         '{"id":"' || ${survey} || '","name":"Reef ' || n || '","date":"2025-10-01","type":"snorkel","loc":{"id":"' || ${feature} || '","regionId":"gbr","name":"Reef"},"user":{"uid":"Person0000000001"},"createdAt":"2025-06-01T00:00:00.000Z","isDeleted":false,"meta":{"images":{"total":50}}}',
         'Person0000000001', '2025-10-01', 'gbr', ${feature} FROM generate_series(0, ${SURVEYS - 1}) n`,
    );
    await client.query(
      `INSERT INTO survey_places (survey_id, region_id, feature_id, dataset_ids, is_public, images, day)
       SELECT ${survey}, 'gbr', ${feature}, ARRAY['grc' || (1 + n % ${DATASETS})], true, 50, '2025-10-01' FROM generate_series(0, ${SURVEYS - 1}) n`,
    );
    await client.query(
      `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images)
       SELECT region_id, dataset_ids[1], feature_id, count(*), sum(images) FROM survey_places GROUP BY 1, 2, 3`,
    );
    await client.query(
      `INSERT INTO dataset_stats (region_id, dataset_id, surveys, images, reefs, updated_at)
       SELECT region_id, dataset_id, sum(surveys), sum(images), count(*), now() FROM feature_counts GROUP BY 1, 2
       ON CONFLICT (region_id, dataset_id) DO NOTHING`,
    );
    await client.query(
      `INSERT INTO reef_results (region_id, dataset_id, feature_id, result)
       SELECT 'gbr', 'grc' || d, ${feature}, jsonb_build_object('featureId', ${feature}, 'datasetId', 'grc' || d, 'year', (2019 + d)::text, 'photographs', 40, 'analysts', 12, 'surveys', 2, 'dominantCoral', 'branching', 'lastSurveyed', '2025-10-01',
         'covers', (SELECT jsonb_object_agg(name, jsonb_build_object('value', 12.5, 'low', 9.1, 'high', 17.3)) FROM unnest(ARRAY['branchingCoralCover', 'platingCoralCover', 'massiveCoralCover', 'otherCoralCover', 'totalCoralCover']) name),
         'versions', '{"skill":1,"pipeline":1,"release":null}'::jsonb)::text
       FROM generate_series(0, ${RESULTS - 1}) n, generate_series(1, ${DATASETS}) d`,
    );
    await addConsensuses(client);
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}

/** Adds photographs with the consensus of five people, whose analyses are of the size of a labelling's head. */
async function addConsensuses(client: pg.Client): Promise<void> {
  const at = `'2025-06-01T00:00:00.000Z'`;
  const image = `'Image' || lpad(n::text, 10, '0')`;
  const analysis = `'Analysis' || lpad((n * ${PEOPLE} + k)::text, 7, '0')`;
  const person = `'Person000000000' || k`;
  const shares = `'{"branching":0.2,"plating":0.1,"massive":0.1,"other":0.1,"none":0.4,"unknown":0.1}'`;
  const rows = `generate_series(0, ${CONSENSUSES - 1}) n`;
  const people = `generate_series(1, ${PEOPLE}) k`;
  await client.query(
    `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, counted, shown, survey_id)
     SELECT 'image', ${image}, '{}', false, ${at}, ${at}, '[]', '{}', 'Survey' || lpad(n::text, 10, '0') FROM ${rows}`,
  );
  await client.query(
    `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, counted, shown, owner, image_id)
     SELECT 'analysis', ${analysis}, '{}', false, ${at}, ${at}, '[]',
       json_build_object('id', ${analysis}, 'version', 2.4, 'user', json_build_object('uid', ${person}), 'labels', repeat('x', 2000))::text, ${person}, ${image}
     FROM ${rows}, ${people}`,
  );
  await client.query(
    `INSERT INTO ops (op_id, seq, kind, doc_id, accepted, op)
     SELECT 'op-' || n || '-' || k, 1000000 + n * ${PEOPLE} + k, 'analysis', ${analysis}, true, '{}' FROM ${rows}, ${people}`,
  );
  await client.query(
    `INSERT INTO photograph_figures (image_id, survey_id, skill, figure, detail, sheet, people, has_expert, bad)
     SELECT ${image}, 'Survey' || lpad(n::text, 10, '0'), 1,
       json_build_object('imageId', ${image}, 'shares', ${shares}::json, 'variances', ${shares}::json, 'agreement', 0.8, 'isBad', false,
         'analysts', (SELECT json_agg(${person}) FROM ${people}))::text,
       json_build_object('badProbability', 0.01, 'unread', '[]'::json, 'places', (SELECT json_agg(json_build_object('kind', 'outline', 'id', 'o' || d, 'box', '[0,0,1,1]'::json, 'posterior', ${shares}::json,
         'answers', (SELECT json_agg(json_build_object('analyst', ${person}, 'cover', 'plating')) FROM ${people}))) FROM generate_series(1, ${DOUBTS}) d))::text,
       '{}', ${PEOPLE}, false, false
     FROM ${rows}`,
  );
}
