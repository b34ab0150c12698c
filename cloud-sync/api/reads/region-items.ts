/**
 * Dataset as readers get it (SQL, JSON; `d`: its reference document): what was imported, with the counts that are computed
 * over it.
 */
export const DATASET_ITEM = `d.doc || jsonb_build_object('stats', coalesce(
  (SELECT jsonb_build_object('surveys', s.surveys, 'images', s.images, 'reefs', s.reefs) FROM dataset_stats s WHERE s.region_id = d.region_id AND s.dataset_id = d.doc ->> 'id'),
  '{"surveys": 0, "images": 0, "reefs": 0}'::jsonb))`;

/** Datasets of a feature with counts of public surveys, and their census years (SQL). */
const COUNTS = `SELECT c.dataset_id, c.surveys, c.images, d.doc ->> 'censusYear' AS year FROM feature_counts c
  JOIN reference_documents d ON d.collection = 'datasets' AND d.id = c.region_id || '/' || c.dataset_id AND NOT d.deleted
  WHERE c.region_id = f.region_id AND c.feature_id = f.id`;
const LINKED = `SELECT l.dataset_id, 0, 0, d.doc ->> 'censusYear' FROM dataset_links l
  JOIN reference_documents d ON d.collection = 'datasets' AND d.id = l.region_id || '/' || l.dataset_id AND NOT d.deleted
  WHERE l.kind = 'feature' AND l.id = f.id AND l.region_id = f.region_id`;
const list = (column: string): string =>
  `(SELECT coalesce(jsonb_agg(DISTINCT ${column} ORDER BY ${column}) FILTER (WHERE ${column} IS NOT NULL), '[]') FROM (${COUNTS} UNION ALL ${LINKED}) u)`;

/**
 * Map feature as readers get it (SQL, JSON; `f`: its row; 1§3 "Map feature", 3§3 "Reef feature"). Its figures are counts
 * and, by year, the published result (`ReefResult`; null without one); surveys have reads of their own. Of datasets that
 * share a year, the larger counts.
 */
export const FEATURE_ITEM = `jsonb_build_object('id', f.id, 'regionId', f.region_id, 'row', f.row_number, 'isDeleted', f.deleted, 'bbox', to_jsonb(f.bounds),
  'longitude', f.longitude, 'latitude', f.latitude, 'geometry', f.geometry, 'originalGeometry', f.original_geometry,
  'properties', f.imported || jsonb_build_object('name', f.name, 'gid', f.gid, 'type', f.type),
  'meta', jsonb_build_object('datasets', ${list('u.dataset_id')}, 'censusYears', ${list('u.year')},
    'counts', (SELECT coalesce(jsonb_object_agg(u.dataset_id, jsonb_build_object('surveys', u.surveys, 'images', u.images)), '{}') FROM (${COUNTS}) u)),
  'years', (SELECT coalesce(jsonb_object_agg(y.year, jsonb_build_object('surveys', y.surveys, 'images', y.images, 'results', y.results)), '{}')
    FROM (SELECT u.year, max(u.surveys) AS surveys, max(u.images) AS images,
        (array_agg(r.result::jsonb ORDER BY u.surveys DESC, u.dataset_id) FILTER (WHERE r.result IS NOT NULL))[1] AS results
      FROM (${COUNTS}) u LEFT JOIN reef_results r ON r.region_id = f.region_id AND r.dataset_id = u.dataset_id AND r.feature_id = f.id
      WHERE u.year IS NOT NULL GROUP BY u.year) y))`;
