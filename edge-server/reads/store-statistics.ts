import type { Database } from 'better-sqlite3';
import type { Folded } from '../../src/domain/fold/fold';
import type { JsonObject } from '../../src/domain/json';
import { isObject } from '../../src/domain/json';
import { surveyPosition } from '../../src/domain/survey/survey';
import type { EdgeImage, EdgeLocation, EdgeMeta, EdgeSurvey, EdgeSurveyCard } from '../../src/protocol/edge-socket';

export interface Statistics {
  totals(): EdgeMeta['totals'];
  /** Operations without the cloud's receipt. */
  owed(): number;
  /** Bytes of photographs here without the cloud's receipt. */
  owedBytes(): number;
  surveys(): readonly EdgeSurvey[];
  /** Surveys of a reef, by its feature id. */
  surveysOn(featureId: string): readonly EdgeSurveyCard[];
  /** Photographs of a survey, by id; empty for an unknown one. */
  imagesOf(surveyId: string): readonly EdgeImage[];
  locations(): readonly EdgeLocation[];
}

interface SurveyRow {
  readonly id: string;
  readonly folded: string;
  readonly total: number;
  readonly here: number;
  readonly ashore: number;
  readonly freed: number;
  /** 1 if the cloud has no receipt of a write to the survey. */
  readonly owed: number;
}

const TOTALS = `
  SELECT
    (SELECT count(*) FROM docs WHERE kind = 'survey' AND deleted = 0) AS surveys,
    (SELECT count(*) FROM docs WHERE kind = 'image' AND deleted = 0) AS images,
    (SELECT count(*) FROM docs WHERE kind = 'analysis' AND deleted = 0) AS analyses,
    (SELECT count(*) FROM docs WHERE kind = 'profile' AND deleted = 0) AS people,
    (SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT sha256, bytes FROM image_blobs WHERE here = 1)) AS bytes`;

/** A file shared by several photographs goes ashore once, with the first of them. */
const OWED_BYTES = `
  SELECT coalesce(sum(bytes), 0) AS n
  FROM (SELECT sha256, max(bytes) AS bytes, max(ashore) AS ashore FROM image_blobs WHERE here = 1 GROUP BY sha256) WHERE ashore = 0`;

/**
 * Per image: true if it has bytes `here`, `ashore`, or `freed` in the current cloud epoch. One pass: a look-up per
 * image took twice as long for 100,000 (530 ms against 240).
 */
export const BYTES_BY_IMAGE = `
  held AS (
    SELECT image_id, max(here) AS here, max(ashore) AS ashore, max(here) = 0 AND max(ashore = 1 AND sha256 IN (SELECT sha256 FROM freed)) AS freed
    FROM image_blobs GROUP BY image_id
  )`;

/** Freed bytes of the current cloud epoch count as here: tablets count receipts. */
const surveysWhere = (condition: string): string => `
  WITH ${BYTES_BY_IMAGE}, images AS (
    SELECT survey_id, count(*) AS total, sum(coalesce(here, 0)) AS here, sum(coalesce(ashore, 0)) AS ashore, sum(coalesce(freed, 0)) AS freed
    FROM docs LEFT JOIN held ON image_id = doc_id WHERE kind = 'image' AND deleted = 0 AND survey_id IS NOT NULL GROUP BY survey_id
  ), owing AS (SELECT DISTINCT doc_id AS owing_id FROM ops WHERE ashore = 0 AND kind = 'survey')
  SELECT doc_id AS id, folded, owing_id IS NOT NULL AS owed, coalesce(total, 0) AS total, coalesce(here, 0) AS here, coalesce(ashore, 0) AS ashore, coalesce(freed, 0) AS freed
  FROM docs LEFT JOIN images ON images.survey_id = doc_id LEFT JOIN owing ON owing_id = doc_id WHERE kind = 'survey' AND deleted = 0 ${condition} ORDER BY doc_id`;
const SURVEYS = surveysWhere('');
const SURVEYS_ON = surveysWhere(`AND json_extract(folded, '$.doc.loc.id') = ?`);

const IMAGES_OF = `SELECT doc_id AS id, folded FROM docs WHERE kind = 'image' AND survey_id = ? AND deleted = 0 ORDER BY doc_id`;

/** Members of a survey that only its card shows. */
const CARD_MEMBERS = ['type', 'timeIn', 'timeofday', 'duration', 'camera', 'site', 'experience'] as const;
const IMAGE_MEMBERS = ['survey', 'path', 'meta', 'copyright'] as const;

/** Edge stats (1§3) from the store's own tables. Read-only. */
export class StoreStatistics implements Statistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  totals(): EdgeMeta['totals'] {
    const row = this.#database.prepare<[], EdgeMeta['totals']>(TOTALS).get();
    return row ?? { surveys: 0, images: 0, bytes: 0, analyses: 0, people: 0 };
  }

  owed(): number {
    return this.#database.prepare<[], { n: number }>('SELECT count(*) AS n FROM ops WHERE ashore = 0').get()?.n ?? 0;
  }

  owedBytes(): number {
    return this.#database.prepare<[], { n: number }>(OWED_BYTES).get()?.n ?? 0;
  }

  surveys(): readonly EdgeSurvey[] {
    return Array.from(this.#rows(), toEdgeSurvey);
  }

  surveysOn(featureId: string): readonly EdgeSurveyCard[] {
    return Array.from(this.#rows(featureId), (row) => ({ ...toEdgeSurvey(row), ...pick(row.doc, CARD_MEMBERS) }));
  }

  imagesOf(surveyId: string): readonly EdgeImage[] {
    return this.#database
      .prepare<[string], Pick<SurveyRow, 'id' | 'folded'>>(IMAGES_OF)
      .all(surveyId)
      .map(({ id, folded }) => ({ id, ...pick((JSON.parse(folded) as Folded).doc, IMAGE_MEMBERS) }));
  }

  /** Places of the surveys, each at the first known position. */
  locations(): readonly EdgeLocation[] {
    const places = new Map<string, EdgeLocation>();
    for (const { doc, images, isNotYetPublic } of this.#rows()) {
      const id = text(member(doc['loc'], 'id'));
      if (id === '') continue;
      const position = surveyPosition(doc);
      const place = places.get(id) ?? {
        id,
        name: text(member(doc['loc'], 'name')),
        lat: null,
        lng: null,
        surveys: 0,
        images: 0,
        notYetPublic: 0,
      };
      places.set(id, {
        ...place,
        ...(place.lat === null && position !== undefined ? { lat: position.latitude, lng: position.longitude } : {}),
        surveys: place.surveys + 1,
        images: place.images + images.total,
        notYetPublic: (place.notYetPublic ?? 0) + (isNotYetPublic ? 1 : 0),
      });
    }
    return [...places.values()];
  }

  /** One by one: all records at once need not fit in memory. */
  *#rows(featureId?: string): Generator<SurveyAboard, void> {
    const rows =
      featureId === undefined
        ? this.#database.prepare<[], SurveyRow>(SURVEYS).iterate()
        : this.#database.prepare<[string], SurveyRow>(SURVEYS_ON).iterate(featureId);
    for (const { id, folded, total, here, ashore, freed, owed } of rows)
      yield {
        id,
        doc: (JSON.parse(folded) as Folded).doc,
        images: { total, here: here + freed, ashore, ...(freed === 0 ? {} : { freed }) },
        isNotYetPublic: owed === 1 || ashore < total,
      };
  }
}

interface SurveyAboard {
  readonly id: string;
  readonly doc: JsonObject;
  readonly images: EdgeSurvey['images'];
  readonly isNotYetPublic: boolean;
}

function toEdgeSurvey({ id, doc, images, isNotYetPublic }: SurveyAboard): EdgeSurvey {
  return {
    id,
    name: surveyName(doc),
    date: text(doc['date']),
    loc: doc['loc'] ?? null,
    user: doc['user'] ?? null,
    images,
    isNotYetPublic,
    ...(doc['private'] === true ? { private: true } : {}),
  };
}

function pick(doc: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (doc[name] === undefined ? [] : [[name, doc[name]]])));
}

export function surveyName(doc: JsonObject): string {
  return text(doc['name']) || text(member(doc['loc'], 'name'));
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
