import { z } from 'zod';
import type { Json, JsonObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';
import { CORAL_CLASSES, COVER_CLASSES, type CoverClass } from '../../../src/domain/results/cover';
import { KNOWN_MIN } from '../../../src/domain/results/estimates/photograph-covers';
import { answerItem, compareGroups, consensusItem } from '../consensus/photographs/shown-consensus';
import { ITEM, shapeItem } from './census-reads';
import type { ReadDefinition, Reader } from './read-definition';
import {
  Conditions,
  accessCondition,
  answerColumn,
  cursorParam,
  defineRead,
  hasMore,
  idParam,
  limitParam,
  nameParam,
  parseCursor,
  prepare,
  shareCursorParam,
  sized,
} from './read-definition';

const PHOTOGRAPHS_A_PAGE = 24;
/** Photographs compared at most. */
const COMPARED_MAX = 20_000;
/** Shares of a pie: a class, or all living coral. */
const shareClass = z.enum([...COVER_CLASSES.filter((name) => name !== 'unknown'), 'total']);

const share = (name: CoverClass): string => `(p.figure::json -> 'shares' ->> '${name}')::float8`;
/** Known share of the picture, 0 to 1 (SQL). */
const KNOWN = `(1 - ${share('unknown')})`;
/** Classes of those shares that are sums: "no coral" of a pie is all that is known and no living coral, so rubble too. */
const SUMS: Readonly<Record<string, readonly CoverClass[]>> = { total: CORAL_CLASSES, none: ['none', 'rubble'] };

/** Share of what is known of the picture (SQL). */
function coverOf(name: z.infer<typeof shareClass>): string {
  const classes = SUMS[name] ?? [name as CoverClass];
  return `(${classes.map(share).join(' + ')}) / nullif(${KNOWN}, 0)`;
}

/**
 * Consensus of a photograph with the analyses behind it, as `consensusItem` and `answerItem` read them; nothing of a
 * survey that the reader may not see.
 *
 * @param image placeholder of the photograph's id @param further members of the item, in an SQL text
 */
function consensusQuery(conditions: Conditions, image: string, reader: Reader, further: string): string {
  const names = reader.isStaff
    ? `coalesce((SELECT json_object_agg(n.doc_id, n.card::json)::text FROM docs n WHERE n.kind = 'profile' AND NOT n.deleted AND n.doc_id IN (SELECT a.owner FROM docs a WHERE a.kind = 'analysis' AND a.image_id = ${image})), '{}')`
    : `'null'`;
  const arrivals = `SELECT json_agg(uid ORDER BY first, uid)::text FROM (
        SELECT a.owner AS uid, min(o.seq) AS first FROM docs a LEFT JOIN ops o ON o.kind = 'analysis' AND o.doc_id = a.doc_id AND o.accepted
        WHERE a.kind = 'analysis' AND a.image_id = ${image} AND a.owner IS NOT NULL GROUP BY a.owner) came`;
  return `SELECT ${answerColumn(`string_agg('{"imageId":' || to_json(p.image_id)::text || ',"skill":' || p.skill || ',"figure":' || p.figure || ',"detail":' || p.detail || ',"names":' || ${names} || ',"arrivals":' || coalesce((${arrivals}), '[]') || '${further},"analyses":[' || coalesce((
        SELECT string_agg(a.shown, ',' ORDER BY a.owner) FROM (SELECT DISTINCT ON (owner) owner, shown FROM docs WHERE kind = 'analysis' AND NOT deleted AND image_id = ${image} AND owner IS NOT NULL ORDER BY owner, updated_at DESC, doc_id DESC) a), '') || ']}', ',')`)}
     FROM photograph_figures p JOIN docs d ON d.kind = 'image' AND d.doc_id = p.image_id AND NOT d.deleted JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id AND NOT s.deleted
     WHERE p.image_id = ${image} AND ${accessCondition(conditions, reader, 's')}`;
}

/** Reads of the results of the census (3§3, 2§1). */
export const resultReads: Readonly<Record<string, ReadDefinition>> = {
  /** 3§3 "Results": of public surveys alone, for anyone. */
  'reef-results': defineRead(
    'anyone',
    z.object({
      regionId: nameParam,
      datasetId: nameParam.optional(),
      featureId: nameParam.optional(),
      limit: limitParam(LIMITS.changesMax),
      after: cursorParam,
    }),
    ({ regionId, datasetId, featureId, limit, after }) => {
      const conditions = new Conditions();
      conditions.add('region_id = ?', regionId).add('dataset_id = ?', datasetId).add('feature_id = ?', featureId);
      const place = parseCursor(after);
      const going =
        place === undefined
          ? ''
          : ` AND (dataset_id, feature_id) > (${conditions.value(place[0])}, ${conditions.value(place[1])})`;
      const most = conditions.value(limit);
      return prepare(
        'reef-results',
        `SELECT ${answerColumn(`string_agg(result, ',' ORDER BY dataset_id, feature_id)`, `CASE WHEN count(*) = ${most} THEN (array_agg(dataset_id || '~' || feature_id ORDER BY dataset_id DESC, feature_id DESC))[1] END`)}
         FROM (SELECT result, dataset_id, feature_id FROM reef_results WHERE ${conditions.text}${going} ORDER BY dataset_id, feature_id LIMIT ${most}) page`,
        conditions.values,
      );
    },
  ),

  /** Consensus of a photograph, its analysts by letter; staff get their names. */
  'image-consensus': defineRead(
    'signed',
    z.object({ imageId: idParam }),
    ({ imageId }, reader) => {
      const conditions = new Conditions();
      return prepare(
        'image-consensus',
        consensusQuery(conditions, conditions.value(imageId), reader, ''),
        conditions.values,
      );
    },
    consensusItem,
  ),

  /** Answer behind the consensus of a photograph, by the `answerId` of `image-consensus`: strokes or outlines, and no author. */
  'image-answer': defineRead(
    'signed',
    z.object({ imageId: idParam, answerId: nameParam }),
    ({ imageId, answerId }, reader) => {
      const conditions = new Conditions();
      const [image, answer] = [conditions.value(imageId), conditions.value(answerId)];
      return prepare(
        'image-answer',
        consensusQuery(conditions, image, reader, `,"answerId":' || to_json(${answer}::text)::text || '`),
        conditions.values,
      );
    },
    answerItem,
  ),

  /** Photographs that make a share of a reef's pie, largest share first: those that count in its covers. */
  'share-photographs': defineRead(
    'signed',
    z.object({
      featureId: nameParam,
      datasetId: nameParam,
      class: shareClass,
      limit: limitParam(PHOTOGRAPHS_A_PAGE),
      after: shareCursorParam,
    }),
    ({ featureId, datasetId, class: name, limit, after }) => {
      const conditions = new Conditions();
      const [feature, dataset] = [conditions.value(featureId), conditions.value(datasetId)];
      const place = parseCursor(after);
      const going =
        place === undefined
          ? ''
          : `AND (-share, image_id) > (-${conditions.value(place[0])}::float8, ${conditions.value(place[1])})`;
      const most = conditions.value(limit);
      return prepare(
        `share-photographs-${name}`,
        // Hidden photographs must not take the place of shown ones.
        `WITH found AS (SELECT * FROM (
            SELECT p.image_id, ${coverOf(name)} AS share FROM survey_figures f JOIN photograph_figures p ON p.survey_id = f.survey_id AND NOT p.bad
            WHERE f.feature_id = ${feature} AND ${dataset} = ANY(f.dataset_ids) AND ${KNOWN} >= ${KNOWN_MIN}) shares
          WHERE share > 0 ${going}
            AND EXISTS (SELECT FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id
              WHERE d.kind = 'image' AND d.doc_id = shares.image_id AND NOT d.deleted AND NOT s.deleted AND NOT s.private)
          ORDER BY share DESC, image_id LIMIT ${most})
         SELECT ${answerColumn(`string_agg(shown, ',' ORDER BY share DESC, image_id)`, `CASE WHEN ${hasMore(most)} THEN (array_agg(share || '~' || image_id ORDER BY share, image_id DESC))[1] END`)}
         FROM ${sized(
           `SELECT '{"share":' || f.share || ',"item":' || ${ITEM('d')} || '}' AS shown, f.share, f.image_id
           FROM found f JOIN docs d ON d.kind = 'image' AND d.doc_id = f.image_id JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id`,
           'share DESC, image_id',
         )}`,
        conditions.values,
      );
    },
    (item, links): JsonObject => ({ ...shapeItem(item['item'] as JsonObject, links), share: item['share'] as Json }),
  ),

  /** 2§1 "Three methods are compared: expert analysis, a deep-learning model, and citizens": by class, for staff. */
  'answer-comparison': defineRead(
    'staff',
    z.object({ regionId: nameParam }),
    ({ regionId }) => ({
      name: 'answer-comparison',
      text: `SELECT ${answerColumn(`'{"photographs":[' || coalesce(string_agg('{"imageId":' || to_json(image_id)::text || ',"compared":' || (detail::json -> 'compared')::text || '}', ',' ORDER BY image_id), '') || ']}'`)}
        FROM (SELECT p.image_id, p.detail FROM photograph_figures p JOIN survey_figures s USING (survey_id) WHERE s.region_id = $1 AND p.has_expert ORDER BY p.image_id LIMIT ${COMPARED_MAX}) found`,
      values: [regionId],
    }),
    compareGroups,
  ),
};
