import type pg from 'pg';
import type { Dataset } from '../../../src/domain/dataset/dataset';
import { datasetsOfDay } from '../../../src/domain/dataset/dataset-days';
import type { Json, JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { GeoPoint } from '../../../src/domain/position/geo-point';
import { geoPointSchema } from '../../../src/domain/position/geo-point';
import { readDatasets } from '../datasets/dataset-rows';
import { FeaturePlaces } from './feature-places';

type Client = Pick<pg.ClientBase, 'query'>;

/** Feature and datasets of a survey, as stored in `survey_places`. */
export interface SurveyPlace {
  readonly surveyId: string;
  readonly regionId: string;
  readonly featureId: string | null;
  readonly datasetIds: readonly string[];
  readonly isPublic: boolean;
  readonly images: number;
  readonly day: string | null;
  readonly longitude: number | null;
  readonly latitude: number | null;
}

interface SurveyRow {
  readonly id: string;
  readonly shown: string;
  readonly deleted: boolean;
  readonly private: boolean;
  readonly region_id: string | null;
  readonly loc_id: string | null;
  readonly date: string;
  readonly images: number;
  readonly linked: readonly { readonly region_id: string; readonly dataset_id: string }[];
}

const SURVEYS = `SELECT s.doc_id AS id, s.shown, s.deleted, s.private, s.region_id, s.loc_id, s.date,
    (SELECT count(*) FROM docs i WHERE i.kind = 'image' AND i.survey_id = s.doc_id AND NOT i.deleted)::int AS images,
    (SELECT coalesce(json_agg(json_build_object('region_id', l.region_id, 'dataset_id', l.dataset_id)), '[]') FROM dataset_links l WHERE l.kind = 'survey' AND l.id = s.doc_id) AS linked
  FROM docs s WHERE s.kind = 'survey' AND s.doc_id = ANY($1::text[]) ORDER BY s.doc_id`;

/** Computes where surveys lie; those of no region are left out. @param isDemo true if demo surveys are public */
export async function computePlaces(
  client: Client,
  surveyIds: readonly string[],
  isDemo: boolean,
): Promise<readonly SurveyPlace[]> {
  const { rows } = await client.query<SurveyRow>(SURVEYS, [surveyIds]);
  const datasets = await readDatasets(client);
  const features = new Map<string, FeaturePlaces>();
  const places: SurveyPlace[] = [];
  for (const row of rows) {
    const { region_id: regionId, id } = row;
    if (regionId === null) continue;
    const known = features.get(regionId) ?? (await FeaturePlaces.load(client, regionId));
    features.set(regionId, known);
    const doc = JSON.parse(row.shown) as JsonObject;
    const position = positionOf(doc);
    const day = row.date === '' ? null : row.date;
    places.push({
      surveyId: id,
      regionId,
      featureId: await known.featureOf(row.loc_id, position),
      datasetIds: datasetIdsOf(
        datasets.filter((dataset) => dataset.regionId === regionId),
        day,
        row.linked.filter((link) => link.region_id === regionId).map((link) => link.dataset_id),
      ),
      isPublic: !row.deleted && !row.private && (isDemo || doc['demo'] !== true),
      images: row.images,
      day,
      longitude: position?.longitude ?? null,
      latitude: position?.latitude ?? null,
    });
  }
  return places;
}

/** Datasets of a survey: those of its day, and those that staff linked. */
function datasetIdsOf(datasets: readonly Dataset[], day: string | null, linked: readonly string[]): readonly string[] {
  const open = datasets.filter(({ id, isDeleted }) => !isDeleted && linked.includes(id));
  return [...new Set([...datasetsOfDay(datasets, day), ...open].map(({ id }) => id))].sort();
}

/** Position of a survey: its site, else its location. */
function positionOf(doc: JsonObject): GeoPoint | null {
  const [site, loc] = [member(doc, 'site'), member(doc, 'loc')];
  for (const given of [site?.['geoloc'], loc?.['_geoloc']]) {
    const read = geoPointSchema.safeParse(given);
    if (read.success) return read.data;
  }
  return null;
}

function member(doc: JsonObject, name: string): Readonly<Record<string, Json | undefined>> | undefined {
  const value = doc[name];
  return isObject(value) ? value : undefined;
}

/** Place of a survey before and after a change; null: it had or has none. */
export interface PlaceChange {
  readonly before: SurveyPlace | null;
  readonly after: SurveyPlace | null;
}

/** Stores the places of surveys, those without one too; returns what changed. */
export async function storePlaces(
  client: Client,
  surveyIds: readonly string[],
  places: readonly SurveyPlace[],
): Promise<readonly PlaceChange[]> {
  const known = new Map((await readPlaces(client, surveyIds)).map((place) => [place.surveyId, place]));
  const placed = new Set(places.map(({ surveyId }) => surveyId));
  const gone = [...known.values()].filter(({ surveyId }) => !placed.has(surveyId));
  if (gone.length > 0)
    await client.query('DELETE FROM survey_places WHERE survey_id = ANY($1::text[])', [
      gone.map(({ surveyId }) => surveyId),
    ]);
  const changed = places.filter((place) => JSON.stringify(known.get(place.surveyId)) !== JSON.stringify(place));
  if (changed.length > 0)
    await client.query(
      `INSERT INTO survey_places (survey_id, region_id, feature_id, dataset_ids, is_public, images, day, longitude, latitude)
       SELECT p->>'surveyId', p->>'regionId', p->>'featureId', ARRAY(SELECT jsonb_array_elements_text(p->'datasetIds')), (p->>'isPublic')::boolean, (p->>'images')::int, p->>'day', (p->>'longitude')::float8, (p->>'latitude')::float8
       FROM jsonb_array_elements($1::jsonb) p
       ON CONFLICT (survey_id) DO UPDATE SET region_id = excluded.region_id, feature_id = excluded.feature_id, dataset_ids = excluded.dataset_ids, is_public = excluded.is_public, images = excluded.images, day = excluded.day, longitude = excluded.longitude, latitude = excluded.latitude`,
      [JSON.stringify(changed)],
    );
  return [
    ...changed.map((after) => ({ before: known.get(after.surveyId) ?? null, after })),
    ...gone.map((before) => ({ before, after: null })),
  ];
}

async function readPlaces(client: Client, surveyIds: readonly string[]): Promise<readonly SurveyPlace[]> {
  const { rows } = await client.query<SurveyPlace>(
    `SELECT survey_id AS "surveyId", region_id AS "regionId", feature_id AS "featureId", dataset_ids AS "datasetIds", is_public AS "isPublic", images, day, longitude, latitude
     FROM survey_places WHERE survey_id = ANY($1::text[]) FOR UPDATE`,
    [surveyIds],
  );
  return rows;
}
