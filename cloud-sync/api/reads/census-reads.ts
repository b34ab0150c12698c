import { z } from 'zod';
import type { Json, JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { ReadDefinition } from './read-definition';
import { IS_LATER, RETIRED, controlOf } from './control-photographs';
import { isLabelPosition, labelPick } from './label-pick';
import { Conditions, answerColumn, idParam, nameParam, prepare, defineRead, accessCondition } from './read-definition';

const ITEMS_PER_ANSWER = 8;
/**
 * Maximum number of photographs scanned per answer; beyond that, PostgreSQL's JIT compilation would cost more than the
 * query.
 */
const SCANNED_MAX = 1000;

/** Parts of an item as text; parsed after selection, and safe for text that PostgreSQL's JSON refuses. */
export const ITEM = (image: string, mostAnalyses = 'sum(k.n)'): string =>
  `'{"image":' || ${image}.shown || ',"survey":' || s.shown || ',"user":' || coalesce((SELECT p.card FROM docs p WHERE p.kind = 'profile' AND p.doc_id = ${image}.owner AND NOT p.deleted), 'null') || ',"analyses":' || (SELECT coalesce(${mostAnalyses}, 0) FROM counters k WHERE k.name IN ('image.analyses', 'image.analyses_expert') AND k.id = ${image}.doc_id) || '}'`;

const HERE = (image: string): string =>
  `(SELECT true FROM image_blobs b WHERE b.image_id = ${image}.doc_id AND b.here AND NOT b.lost LIMIT 1)`;

/** True once every size of the photograph was made: it decodes, and there is something to paint on. */
const HAS_PICTURES = (image: string): string =>
  `(SELECT true FROM owned_fields w WHERE w.kind = 'image' AND w.doc_id = ${image}.doc_id AND w.owned LIKE '%"color_corrected":{%')`;

/** True for a photograph of the pool that is shown: neither it nor its survey is deleted, and the survey is open. */
const SHOWN = (image: string): string =>
  `(SELECT true FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id WHERE d.kind = 'image' AND d.doc_id = ${image}.doc_id AND NOT d.deleted AND NOT s.deleted AND NOT s.private)`;

/** Photographs of experts have many analyses; of those that are offered, all show less than five. */
const UNMARKED = `least(coalesce(sum(k.n), 0), ${ANALYSIS_LIMITS.analysesPerImage - 1})`;

const seedPattern = /^[0-9a-f]{1,32}$/;
const flagParam = z
  .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
  .default(false) as z.ZodType<boolean>;

/** `labels`: photographs of a region with outlines, for labelling. */
const toAnalyseParams = z
  .object({ from: z.string(), expert: flagParam, labels: flagParam, regionId: nameParam.optional() })
  .superRefine(({ from, labels, regionId }, context) => {
    if (!(labels ? isLabelPosition(from) : seedPattern.test(from)))
      context.addIssue({
        code: 'custom',
        path: ['from'],
        message: 'is not a valid position (up to 32 hexadecimal digits)',
      });
    if (labels && regionId === undefined)
      context.addIssue({ code: 'custom', path: ['regionId'], message: 'is missing' });
  });

/** Reads of photographs to analyse (2§4, 2§7). */
export const censusReads: Readonly<Record<string, ReadDefinition>> = {
  /**
   * 2§7: "census images excluding already-analysed ids", "random expert images", and with `labels` "random public ML
   * images". Ordered by seed (1§3: "a random value used for random picking") from a random place picked by the caller.
   * Each condition is a subquery per photograph, so that the scan stops at the eighth match. Experts get photographs no
   * expert has analysed. Without pictures, or before they are made, a photograph is offered to no one; without outlines,
   * to no one who labels.
   */
  'images-to-analyse': defineRead(
    'signed',
    toAnalyseParams,
    ({ from, expert, labels, regionId }, { person }) => {
      const conditions = new Conditions();
      const mine =
        person === null
          ? ''
          : ` AND (SELECT true FROM docs a WHERE a.kind = 'analysis' AND NOT a.deleted AND a.image_id = c.doc_id AND a.owner = ${conditions.value(person)} LIMIT 1) IS NULL`;
      const experts = expert
        ? ` AND coalesce((SELECT n FROM counters WHERE name = 'image.analyses_expert' AND id = c.doc_id), 0) = 0`
        : ` AND ${RETIRED('c')} IS NULL`;
      /** Photograph that replaces a found one. */
      const control = (here: () => string): string =>
        expert || person === null ? 'f.doc_id' : controlOf('f', person, conditions, here());
      const shown = expert ? undefined : UNMARKED;
      if (labels) {
        const eligible = `${SHOWN('c')} AND ${HERE('c')}${mine}${experts}`;
        const { found, next } = labelPick({ from, regionId: regionId ?? '', expert }, conditions, eligible);
        const hasOutlines = (): string =>
          `(SELECT true FROM label_pool l WHERE l.image_id = o.doc_id AND l.region_id = ${conditions.value(regionId)})`;
        const text = `WITH ${found}, offered AS (SELECT DISTINCT ON (f.shown_id) f.* FROM (SELECT f.place, ${control(() => `${HERE('o')} AND ${hasOutlines()}`)} AS shown_id FROM picked f) f ORDER BY f.shown_id, f.place)
          SELECT ${answerColumn(`string_agg(${ITEM('d', shown)}, ',' ORDER BY f.place)`, `(SELECT ${next} FROM picked f)`)}
          FROM offered f JOIN docs d ON d.kind = 'image' AND d.doc_id = f.shown_id JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id`;
        return prepare('images-to-label', text, conditions.values);
      }
      const after = conditions.value(from);
      const all = `FROM docs d WHERE d.kind = 'image' AND NOT d.deleted AND md5(d.doc_id) > ${after} ORDER BY md5(d.doc_id)`;
      const text = `WITH found AS (
          SELECT c.seed, c.doc_id, c.later FROM (SELECT s.*, ${expert ? 'false' : IS_LATER('s')} AS later FROM (SELECT md5(d.doc_id) AS seed, d.doc_id, d.survey_id ${all} LIMIT ${SCANNED_MAX}) s ORDER BY later, seed OFFSET 0) c
          WHERE (SELECT true FROM docs s WHERE s.kind = 'survey' AND s.doc_id = c.survey_id AND NOT s.deleted AND NOT s.private) AND ${HERE('c')} AND ${HAS_PICTURES('c')}${mine}${experts}
          ORDER BY c.later, c.seed LIMIT ${ITEMS_PER_ANSWER}),
        offered AS (SELECT DISTINCT ON (f.shown_id) f.* FROM (SELECT f.seed, ${control(() => `${HERE('o')} AND ${HAS_PICTURES('o')}`)} AS shown_id FROM found f) f ORDER BY f.shown_id, f.seed)
        SELECT ${answerColumn(`string_agg(${ITEM('d', shown)}, ',' ORDER BY f.seed)`, `(SELECT CASE WHEN count(*) = ${ITEMS_PER_ANSWER} THEN max(f.seed) ELSE (SELECT md5(d.doc_id) ${all} OFFSET ${SCANNED_MAX - 1} LIMIT 1) END FROM found f)`)}
        FROM offered f JOIN docs d ON d.kind = 'image' AND d.doc_id = f.shown_id JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id`;
      return prepare('images-to-analyse', text, conditions.values);
    },
    shapeItem,
  ),

  /** 2§7: an image by survey and image, analysed or not; none from a deleted survey or one the reader may not see. */
  'census-image': defineRead(
    'signed',
    z.object({ imageId: idParam }),
    ({ imageId }, reader) => {
      const conditions = new Conditions();
      const wanted = conditions.value(imageId);
      const text = `SELECT ${answerColumn(`string_agg(${ITEM('d')}, ',')`)} FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id
        WHERE d.kind = 'image' AND d.doc_id = ${wanted} AND NOT d.deleted AND NOT s.deleted AND ${accessCondition(conditions, reader, 's')} AND ${HERE('d')}`;
      return prepare('census-image', text, conditions.values);
    },
    shapeItem,
  ),
};

/** Part of an image, its survey and its photographer that is shown for analysis (2§3 "Image"). */
export function shapeItem(item: JsonObject, links: ((imageId: string) => JsonObject) | undefined): JsonObject {
  const [image, survey, user] = [objectAt(item, 'image'), objectAt(item, 'survey'), objectAt(item, 'user')];
  const [loc, org] = [objectAt(survey, 'loc'), objectAt(objectAt(survey, 'user'), 'org')];
  const id = typeof image['id'] === 'string' ? image['id'] : '';
  const geoloc = loc['_geoloc'] ?? objectAt(survey, 'site')['geoloc'];
  return {
    id,
    ...links?.(id),
    ...pick(image, ['path', 'position', 'width', 'height', 'color_corrected', 'ml']),
    ...pick(item, ['analyses']),
    survey: {
      id: survey['id'] ?? null,
      name: survey['name'] ?? loc['name'] ?? null,
      regionId: loc['regionId'] ?? null,
      ...(geoloc === undefined ? {} : { _geoloc: geoloc }),
    },
    user: {
      ...pick(objectAt(image, 'user'), ['uid']),
      ...pick(user, ['name']),
      ...(typeof org['handle'] === 'string' ? { org: pick(org, ['handle', 'name']) } : {}),
    },
  };
}

const objectAt = (of: JsonObject, name: string): JsonObject => (isObject(of[name]) ? (of[name] as JsonObject) : {});

function pick(of: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, Json][] => (of[name] === undefined ? [] : [[name, of[name]]])),
  );
}
