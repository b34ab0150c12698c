import { z } from 'zod';
import { LIMITS } from '../../../src/domain/limits';
import { datasetIdSchema, featureIdSchema } from '../../../src/protocol/datasets';
import { DATASET_ITEM, FEATURE_ITEM } from './region-items';
import type { ReadDefinition } from './read-definition';
import {
  Conditions,
  answerColumn,
  countCursorParam,
  cursorParam,
  defineRead,
  hasMore,
  limitParam,
  listParam,
  nameParam,
  parseCursor,
  prepare,
  sized,
} from './read-definition';

const dataset = z.object({ regionId: nameParam, datasetId: datasetIdSchema });

/** Datasets that a feature is in: those with surveys on it, and those it was linked to (SQL, `$4`: ids). */
const FEATURES_OF = `SELECT c.feature_id FROM feature_counts c WHERE c.region_id = $1 AND c.dataset_id = ANY($4::text[])
  UNION SELECT l.id FROM dataset_links l WHERE l.region_id = $1 AND l.kind = 'feature' AND l.dataset_id = ANY($4::text[])`;
/** Like {@link FEATURES_OF}, by census years. */
const FEATURES_OF_YEARS = FEATURES_OF.replaceAll(
  '= ANY($4::text[])',
  `IN (SELECT d.doc ->> 'id' FROM reference_documents d WHERE d.collection = 'datasets' AND d.region_id = $1 AND NOT d.deleted AND d.doc ->> 'censusYear' = ANY($4::text[]))`,
);

/** Reads of datasets and of the map (3§7 "Store actions"). Counts are of public surveys. */
export const regionReads: Readonly<Record<string, ReadDefinition>> = {
  /** 3§7 `listAllDatasets`: "datasets where isDeleted is false". */
  datasets: defineRead('anyone', z.object({ regionId: nameParam.optional() }), ({ regionId }) => ({
    name: regionId === undefined ? 'datasets' : 'datasets-of-region',
    text: `SELECT ${answerColumn(`string_agg((${DATASET_ITEM})::text, ',' ORDER BY d.id)`)} FROM reference_documents d WHERE d.collection = 'datasets' AND NOT d.deleted ${regionId === undefined ? '' : 'AND d.region_id = $1'}`,
    values: regionId === undefined ? [] : [regionId],
  })),

  /** 3§7: "a dataset by id". */
  dataset: defineRead('anyone', dataset, ({ regionId, datasetId }) => ({
    name: 'dataset',
    text: `SELECT ${answerColumn(`string_agg((${DATASET_ITEM})::text, ',')`)} FROM reference_documents d WHERE d.collection = 'datasets' AND d.id = $1 || '/' || $2 AND NOT d.deleted`,
    values: [regionId, datasetId],
  })),

  /** 3§7 `getStatsForDataset`. */
  'dataset-stats': defineRead('anyone', dataset, ({ regionId, datasetId }) => ({
    name: 'dataset-stats',
    text: `SELECT ${answerColumn(
      `string_agg(jsonb_build_object('regionId', region_id, 'datasetId', dataset_id, 'surveys', surveys, 'images', images, 'reefs', reefs, 'updatedAt', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, ',')`,
    )} FROM dataset_stats WHERE region_id = $1 AND dataset_id = $2`,
    values: [regionId, datasetId],
  })),

  /** 3§7 `getSurveyedReefs` (regionId, datasetId, lastDocId; default limit 10): most surveys first, then by id. */
  'surveyed-reefs': defineRead(
    'anyone',
    dataset.extend({ limit: limitParam(LIMITS.queryLimit), after: countCursorParam }),
    ({ regionId, datasetId, limit, after }) => {
      const place = parseCursor(after);
      const going =
        place === undefined ? '' : 'AND c.surveys <= $4::int AND (c.surveys < $4::int OR c.feature_id > $5)';
      return prepare(
        'surveyed-reefs',
        `SELECT ${answerColumn(
          `string_agg(jsonb_build_object('id', f.id, 'gid', f.gid, 'name', f.name, 'type', f.type, 'longitude', f.longitude, 'latitude', f.latitude, 'surveys', p.surveys, 'images', p.images)::text, ',' ORDER BY p.surveys DESC, p.feature_id)`,
          `CASE WHEN count(*) = $3 THEN (array_agg(p.surveys || '~' || p.feature_id ORDER BY p.surveys, p.feature_id DESC))[1] END`,
        )} FROM (SELECT c.feature_id, c.surveys, c.images FROM feature_counts c WHERE c.region_id = $1 AND c.dataset_id = $2 ${going} ORDER BY c.surveys DESC, c.feature_id LIMIT $3) p
        JOIN map_features f ON f.region_id = $1 AND f.id = p.feature_id`,
        [regionId, datasetId, limit, ...(place ?? [])],
      );
    },
  ),

  /** 3§7 `getFeatureById`. Ids of features are those of their source; two regions may share one. */
  feature: defineRead(
    'anyone',
    z.object({ featureId: featureIdSchema, regionId: nameParam.optional() }),
    ({ featureId, regionId }) => ({
      name: regionId === undefined ? 'feature' : 'feature-of-region',
      text: `SELECT ${answerColumn(`string_agg((${FEATURE_ITEM})::text, ',' ORDER BY f.region_id)`)} FROM map_features f WHERE f.id = $1 ${regionId === undefined ? '' : 'AND f.region_id = $2'}`,
      values: [featureId, ...(regionId === undefined ? [] : [regionId])],
    }),
  ),

  /** 1§7: "Features per region by censusYears or by datasets": those with any of the years or datasets. */
  features: defineRead(
    'anyone',
    z
      .object({
        regionId: nameParam,
        censusYears: listParam(nameParam, LIMITS.batchIn).optional(),
        datasets: listParam(nameParam, LIMITS.batchIn).optional(),
        limit: limitParam(LIMITS.changesMax),
        after: cursorParam,
      })
      .refine(({ censusYears, datasets }) => censusYears === undefined || datasets === undefined, {
        message: 'and datasets cannot be asked for together',
        path: ['censusYears'],
      }),
    ({ regionId, censusYears, datasets, limit, after }) => {
      const [kind, wanted] = censusYears !== undefined ? ['years', censusYears] : ['datasets', datasets];
      const any = wanted === undefined ? '' : `AND f.id IN (${kind === 'years' ? FEATURES_OF_YEARS : FEATURES_OF})`;
      return {
        name: `features-${wanted === undefined ? 'all' : kind}`,
        text: `SELECT ${answerColumn(`string_agg((${FEATURE_ITEM})::text, ',' ORDER BY f.id)`, `CASE WHEN count(*) = $3 THEN '~' || max(f.id) END`)}
          FROM (SELECT * FROM map_features f WHERE f.region_id = $1 AND NOT f.deleted AND f.id > $2 ${any} ORDER BY f.id LIMIT $3) f`,
        values: [regionId, parseCursor(after)?.[1] ?? '', limit, ...(wanted === undefined ? [] : [wanted])],
      };
    },
  ),

  /**
   * 3§7 `getSurveysForLocation`: surveys on a feature, latest first. Private ones for those who may see them; demo ones in
   * demo mode alone.
   */
  'surveys-of-location': defineRead(
    'signed',
    z.object({
      featureId: featureIdSchema,
      datasetId: datasetIdSchema.optional(),
      regionId: nameParam.optional(),
      limit: limitParam(LIMITS.queryLimit),
      after: cursorParam,
    }),
    ({ featureId, datasetId, regionId, limit, after }, reader) => {
      const conditions = new Conditions();
      const feature = conditions.value(featureId);
      const granted = reader.isStaff
        ? 's.private'
        : `(s.private AND EXISTS (SELECT 1 FROM grants g WHERE g.topic = s.doc_id AND g.subject = ANY(${conditions.value(
            [
              ...(reader.person === null ? [] : [`person:${reader.person}`]),
              ...(reader.node === null ? [] : [`node:${reader.node}`]),
            ],
          )}::text[])))`;
      const place = parseCursor(after);
      const going =
        place === undefined
          ? ''
          : `AND (coalesce(p.day, ''), p.survey_id) < (${conditions.value(place[0])}, ${conditions.value(place[1])})`;
      const within =
        (datasetId === undefined ? '' : `AND p.dataset_ids @> ARRAY[${conditions.value(datasetId)}::text]`) +
        (regionId === undefined ? '' : ` AND p.region_id = ${conditions.value(regionId)}`);
      const most = conditions.value(limit);
      return prepare(
        'surveys-of-location',
        `SELECT ${answerColumn(
          `string_agg(shown, ',' ORDER BY day DESC, survey_id DESC)`,
          `CASE WHEN ${hasMore(most)} THEN (array_agg(day || '~' || survey_id ORDER BY day, survey_id))[1] END`,
        )} FROM ${sized(
          `SELECT s.shown, coalesce(p.day, '') AS day, p.survey_id FROM survey_places p JOIN docs s ON s.kind = 'survey' AND s.doc_id = p.survey_id
          WHERE p.feature_id = ${feature} ${within} ${going} AND NOT s.deleted AND ((p.is_public AND NOT s.private) OR ${granted})
          ORDER BY coalesce(p.day, '') DESC, p.survey_id DESC LIMIT ${most}`,
          'day DESC, survey_id DESC',
        )}`,
        conditions.values,
      );
    },
  ),
};
