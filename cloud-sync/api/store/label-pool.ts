import type pg from 'pg';
import { isObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';

/** Reference data by which staff set priorities: `{<surveyId>: 1 to 5}`. */
export const SURVEY_PRIORITIES = 'survey-priorities';

type Client = Pick<pg.ClientBase, 'query'>;

/** Priority that the server's own fields of a survey give (SQL); null: none. */
const OWN_PRIORITY = (survey: string): string =>
  `(SELECT substring(o.owned FROM '"priority":([1-5])[,}]')::int FROM owned_fields o WHERE o.kind = 'survey' AND o.doc_id = ${survey})`;

/** People who analysed a photograph (SQL). */
const PEOPLE = (image: string): string =>
  `(SELECT count(DISTINCT a.owner) FROM docs a WHERE a.kind = 'analysis' AND NOT a.deleted AND a.image_id = ${image})`;

/**
 * Adds a photograph with outlines to those that are offered for labelling (1§9 "survey priority 1 to 5; analysis count at
 * most 4").
 */
export async function addToLabelPool(client: Client, imageId: string): Promise<void> {
  const { rows } = await client.query<{ survey_id: string; own: number | null }>(
    `SELECT survey_id, ${OWN_PRIORITY('survey_id')} AS own FROM docs WHERE kind = 'image' AND doc_id = $1 AND survey_id IS NOT NULL`,
    [imageId],
  );
  const [row] = rows;
  if (row === undefined) return;
  const listed = await listedPriorities(client);
  await client.query(
    `INSERT INTO label_pool (image_id, survey_id, region_id, priority, seed, people)
     SELECT $1, $2, coalesce((SELECT s.region_id FROM docs s WHERE s.kind = 'survey' AND s.doc_id = $2), ''), $3, md5($1), ${PEOPLE('$1')}
     ON CONFLICT (image_id) DO UPDATE SET survey_id = excluded.survey_id, region_id = excluded.region_id, priority = excluded.priority, people = excluded.people`,
    [imageId, row.survey_id, listed.get(row.survey_id) ?? row.own ?? LIMITS.surveyPriorityDefault],
  );
}

/** Counts the people who analysed photographs, after their analyses changed. */
export async function countLabelPeople(client: Client, imageIds: readonly string[]): Promise<void> {
  if (imageIds.length === 0) return;
  await client.query({
    name: 'label-pool-people',
    text: `UPDATE label_pool p SET people = ${PEOPLE('p.image_id')} WHERE p.image_id = ANY($1::text[])`,
    values: [imageIds],
  });
}

/** Moves the photographs of surveys to their present region. */
export async function moveLabelRegions(
  client: Client,
  surveys: readonly { readonly id: string; readonly regionId: string | null }[],
): Promise<void> {
  if (surveys.length === 0) return;
  await client.query({
    name: 'label-pool-regions',
    text: `UPDATE label_pool p SET region_id = k.region_id FROM unnest($1::text[], $2::text[]) AS k(survey_id, region_id)
           WHERE p.survey_id = k.survey_id AND p.region_id <> k.region_id`,
    values: [surveys.map(({ id }) => id), surveys.map(({ regionId }) => regionId ?? '')],
  });
}

/** Gives photographs the priorities of their surveys. @param surveyId the only survey that changed; by default any may have */
export async function setLabelPriorities(client: Client, surveyId?: string): Promise<void> {
  const listed = await listedPriorities(client);
  await client.query(
    `UPDATE label_pool p SET priority = k.priority FROM (
       SELECT s.survey_id, coalesce(l.priority, ${OWN_PRIORITY('s.survey_id')}, ${LIMITS.surveyPriorityDefault}) AS priority
       FROM (SELECT DISTINCT survey_id FROM label_pool WHERE $1::text IS NULL OR survey_id = $1) s
       LEFT JOIN unnest($2::text[], $3::int[]) AS l(survey_id, priority) ON l.survey_id = s.survey_id) k
     WHERE p.survey_id = k.survey_id AND p.priority <> k.priority`,
    [surveyId ?? null, [...listed.keys()], [...listed.values()]],
  );
}

/** Priorities that staff listed, by survey; others are left out. */
async function listedPriorities(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ body: string }>('SELECT body FROM reference_data WHERE name = $1', [
    SURVEY_PRIORITIES,
  ]);
  const list: unknown = rows[0] === undefined ? {} : JSON.parse(rows[0].body);
  return new Map(
    Object.entries(isObject(list) ? list : {}).filter(
      (entry): entry is [string, number] => isPriority(entry[1]) && !entry[0].includes('\u0000'),
    ),
  );
}

function isPriority(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= LIMITS.surveyPriorityMin &&
    value <= LIMITS.surveyPriorityMax
  );
}
