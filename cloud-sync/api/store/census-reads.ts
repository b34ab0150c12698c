import { z } from 'zod';
import type { Json, JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { ReadDefinition } from './read-definition';
import { Conditions, answer, idParam, prepared, read, visible } from './read-definition';

/** Photographs of one answer. */
const ITEMS = 8;
/** Photographs that one answer looks through at most; a caller goes on from there. Of many more PostgreSQL would compile what it does, which takes longer than doing it. */
const SCANNED = 1000;

const seedParam = z.string().regex(/^[0-9a-f]{1,32}$/, 'is no place among all (up to 32 hexadecimal digits)');
const flagParam = z
  .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
  .default(false) as z.ZodType<boolean>;

/** The texts that an item is made of; they are taken apart once they are few, and a text that PostgreSQL's JSON would not take stays what it is. */
const ITEM = (image: string): string =>
  `'{"image":' || ${image}.shown || ',"survey":' || s.shown || ',"user":' || coalesce((SELECT p.card FROM docs p WHERE p.kind = 'profile' AND p.doc_id = ${image}.owner AND NOT p.deleted), 'null') || '}'`;

/** Its bytes are ashore. */
const HERE = (image: string): string =>
  `(SELECT true FROM image_blobs b WHERE b.image_id = ${image}.doc_id AND b.here AND NOT b.lost LIMIT 1)`;

/** Photographs to be analysed (2§4, 2§7). */
export const censusReads: Readonly<Record<string, ReadDefinition>> = {
  /**
   * 2§7: "census images excluding already-analysed ids", "random expert images". In the order of their seeds (1§3: "a random
   * value used for random picking"), after a place that the caller picked at random; each condition is a question of its own about one photograph, so that it ends with the eighth that
   * answers. For experts those that no expert has analysed yet.
   */
  'images-to-analyse': read(
    'signed',
    z.object({ from: seedParam, expert: flagParam }),
    ({ from, expert }, { person }) => {
      const conditions = new Conditions();
      const after = conditions.value(from);
      const mine =
        person === null
          ? ''
          : ` AND (SELECT true FROM docs a WHERE a.kind = 'analysis' AND NOT a.deleted AND a.image_id = c.doc_id AND a.owner = ${conditions.value(person)} LIMIT 1) IS NULL`;
      const experts = expert
        ? ` AND coalesce((SELECT n FROM counters WHERE name = 'image.analyses_expert' AND id = c.doc_id), 0) = 0`
        : '';
      const all = `FROM docs d WHERE d.kind = 'image' AND NOT d.deleted AND md5(d.doc_id) > ${after} ORDER BY md5(d.doc_id)`;
      const text = `WITH found AS (
          SELECT c.seed, c.doc_id, c.shown, c.owner, c.survey_id FROM (SELECT md5(d.doc_id) AS seed, d.doc_id, d.shown, d.owner, d.survey_id ${all} LIMIT ${SCANNED}) c
          WHERE (SELECT true FROM docs s WHERE s.kind = 'survey' AND s.doc_id = c.survey_id AND NOT s.deleted AND NOT s.private) AND ${HERE('c')}${mine}${experts}
          ORDER BY c.seed LIMIT ${ITEMS})
        SELECT ${answer(`string_agg(${ITEM('f')}, ',' ORDER BY f.seed)`, `CASE WHEN count(*) = ${ITEMS} THEN max(f.seed) ELSE (SELECT md5(d.doc_id) ${all} OFFSET ${SCANNED - 1} LIMIT 1) END`)}
        FROM found f JOIN docs s ON s.kind = 'survey' AND s.doc_id = f.survey_id`;
      return prepared('images-to-analyse', text, conditions.values);
    },
    shaped,
  ),

  /** 2§7: an image by survey and image, whoever analysed it; none of a survey that is deleted, or not the reader's to see. */
  'census-image': read(
    'signed',
    z.object({ imageId: idParam }),
    ({ imageId }, reader) => {
      const conditions = new Conditions();
      const wanted = conditions.value(imageId);
      const text = `SELECT ${answer(`string_agg(${ITEM('d')}, ',')`)} FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id
        WHERE d.kind = 'image' AND d.doc_id = ${wanted} AND NOT d.deleted AND NOT s.deleted AND ${visible(conditions, reader, 's')} AND ${HERE('d')}`;
      return prepared('census-image', text, conditions.values);
    },
    shaped,
  ),
};

/** Of an image, its survey and its photographer what whoever analyses it is shown (2§3 "Image"). */
function shaped(item: JsonObject, links: ((imageId: string) => JsonObject) | undefined): JsonObject {
  const [image, survey, user] = [part(item, 'image'), part(item, 'survey'), part(item, 'user')];
  const [loc, org] = [part(survey, 'loc'), part(part(survey, 'user'), 'org')];
  const id = typeof image['id'] === 'string' ? image['id'] : '';
  const geoloc = loc['_geoloc'] ?? part(survey, 'site')['geoloc'];
  return {
    id,
    ...links?.(id),
    ...some(image, ['path', 'position', 'width', 'height', 'color_corrected']),
    survey: {
      id: survey['id'] ?? null,
      name: survey['name'] ?? loc['name'] ?? null,
      regionId: loc['regionId'] ?? null,
      ...(geoloc === undefined ? {} : { _geoloc: geoloc }),
    },
    user: {
      ...some(part(image, 'user'), ['uid']),
      ...some(user, ['name']),
      ...(typeof org['handle'] === 'string' ? { org: some(org, ['handle', 'name']) } : {}),
    },
  };
}

const part = (of: JsonObject, name: string): JsonObject => (isObject(of[name]) ? (of[name] as JsonObject) : {});

function some(of: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, Json][] => (of[name] === undefined ? [] : [[name, of[name]]])),
  );
}
