import type pg from 'pg';
import type { RubbleSum } from '../../../src/domain/results/estimates/rubble';
import { rubbleEstimate, rubbleSite, rubbleSiteOf } from '../../../src/domain/results/estimates/rubble';
import { distinctSorted } from '../../../src/domain/results/estimates/survey-estimate';
import { PIPELINE_VERSION } from '../../../src/domain/results/reef-result';
import type { RubbleSource } from '../../../src/domain/results/tables/rubble-file';
import { RUBBLE_COMPUTED } from './rubble-sites';

type Client = Pick<pg.ClientBase, 'query'>;

interface RubbleSurvey {
  readonly surveyId: string;
  readonly regionId: string;
  /** Degrees; null without a position: it counts at no site. */
  readonly longitude: number | null;
  readonly latitude: number | null;
}

/**
 * Stores the rubble of a survey and adds up the sites that it leaves and enters, in the caller's transaction. A site has
 * the photographs of all its surveys, added in order of their ids.
 *
 * @param sum null: it counts at no site, or no longer
 * @param skill latest version of skill among its photographs
 * @returns regions of which a site changed
 */
export async function storeRubble(
  client: Client,
  { surveyId, regionId, longitude, latitude }: RubbleSurvey,
  sum: RubbleSum | null,
  skill: number,
): Promise<readonly string[]> {
  const { rows: before } = await client.query<{ region_id: string; site_id: string }>(
    'SELECT region_id, site_id FROM survey_rubble WHERE survey_id = $1',
    [surveyId],
  );
  const isPlaced = sum !== null && longitude !== null && latitude !== null;
  if (!isPlaced && before.length === 0) return [];
  // One survey at a time: sums of a site that two surveys enter at once would each lack the other.
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('computed-rubble'))`);
  await client.query('DELETE FROM survey_rubble WHERE survey_id = $1', [surveyId]);
  const left = before.map((row) => ({ regionId: row.region_id, siteId: row.site_id }));
  const entered = isPlaced ? [{ regionId, siteId: rubbleSite(longitude, latitude).id }] : [];
  for (const { siteId } of entered)
    await client.query(
      'INSERT INTO survey_rubble (survey_id, region_id, site_id, photographs, probability, variance, analysts, skill) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
      [surveyId, regionId, siteId, sum?.photographs, sum?.probability, sum?.variance, sum?.analysts, skill],
    );
  const changed = new Set<string>();
  for (const site of [...left, ...entered]) if (await addUp(client, site)) changed.add(site.regionId);
  return [...changed].sort();
}

type Skilled = RubbleSum & { readonly skill: number };
/** Row of a survey; one that was counted before the interval has nulls until it is computed again. */
type SurveyRow = Pick<RubbleSum, 'photographs' | 'probability'> & {
  readonly [Name in 'variance' | 'analysts' | 'skill']: Skilled[Name] | null;
};

function isWhole(row: SurveyRow): row is SurveyRow & Skilled {
  return row.variance !== null && row.analysts !== null && row.skill !== null;
}

/** Facts of a site of surveys; none while one lacks its own. */
function sourceOf(rows: readonly SurveyRow[]): RubbleSource | null {
  if (!rows.every(isWhole)) return null;
  const { low, high } = rubbleEstimate(rows);
  return {
    low,
    high,
    analysts: distinctSorted(rows.flatMap(({ analysts }) => analysts)).length,
    skill: Math.max(...rows.map(({ skill }) => skill)),
    pipeline: PIPELINE_VERSION,
  };
}

/** @returns true if the site changed */
async function addUp(client: Client, site: { readonly regionId: string; readonly siteId: string }): Promise<boolean> {
  const key = [site.regionId, RUBBLE_COMPUTED, site.siteId];
  const { rows } = await client.query<SurveyRow>(
    'SELECT photographs, probability, variance, analysts, skill FROM survey_rubble WHERE region_id = $1 AND site_id = $2 ORDER BY survey_id',
    [site.regionId, site.siteId],
  );
  if (rows.length === 0) {
    const { rowCount } = await client.query(
      'DELETE FROM map_sites WHERE region_id = $1 AND layer = $2 AND id = $3',
      key,
    );
    return rowCount !== 0;
  }
  const images = rows.reduce((total, { photographs }) => total + photographs, 0);
  // The mean does not depend on the variance.
  const { value: probability } = rubbleEstimate(rows.map((row) => ({ ...row, variance: 0, analysts: [] })));
  const { longitude, latitude } = rubbleSiteOf(site.siteId);
  const { rowCount } = await client.query(
    `INSERT INTO map_sites AS s (region_id, layer, id, properties, longitude, latitude) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (region_id, layer, id) DO UPDATE SET properties = excluded.properties WHERE s.properties <> excluded.properties`,
    [...key, JSON.stringify({ images, probability, ...sourceOf(rows) }), longitude, latitude],
  );
  return rowCount !== 0;
}
