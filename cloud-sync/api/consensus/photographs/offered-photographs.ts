import type pg from 'pg';
import { ANALYSIS_LIMITS } from '../../../../src/domain/limits/analysis';
import { queueFigures } from '../queue/figure-queue';

/** Facts of a photograph that decide whether it is offered for analysis. */
interface OfferFacts {
  readonly people: number;
  readonly hasExpert: boolean;
  readonly isBad: boolean;
}

/** True once a photograph needs no further analysis (2§9 "Target 5 analyses per image"). */
function isRetired({ people, isBad }: OfferFacts): boolean {
  return people >= ANALYSIS_LIMITS.analysesPerImage || (isBad && people >= ANALYSIS_LIMITS.badAnswersMin);
}

/** Lock under which photographs get their numbers: they have no gaps, so that batches are whole. */
const NUMBERS_LOCK = 7_266_318;

/**
 * Adds an open photograph to those that are offered, the next one of the present batch (2§9 "batches of 5,000"), or
 * updates its facts. Its number never changes.
 *
 * @param batchSize photographs of a batch
 */
export async function offerPhotograph(
  client: pg.ClientBase,
  imageId: string,
  facts: OfferFacts,
  batchSize: number,
): Promise<void> {
  const values = [imageId, facts.people, facts.hasExpert, isRetired(facts)];
  const { rowCount } = await client.query({
    name: 'offered-renew',
    text: 'UPDATE offered_photographs SET is_open = true, people = $2, has_expert = $3, retired = $4 WHERE image_id = $1',
    values,
  });
  // The batch may be complete.
  if (isRetired(facts)) await queueFigures(client, 'release', [[]]);
  if (rowCount !== 0) return;
  await client.query('SELECT pg_advisory_xact_lock($1)', [NUMBERS_LOCK]);
  await client.query({
    name: 'offered-add',
    text: `INSERT INTO offered_photographs (image_id, number, batch, seed, is_open, people, has_expert, retired)
           SELECT $1, n, (n - 1) / $5::int + 1, md5($1), true, $2, $3, $4 FROM (SELECT coalesce(max(number), 0) + 1 AS n FROM offered_photographs) next
           ON CONFLICT (image_id) DO UPDATE SET is_open = true, people = excluded.people, has_expert = excluded.has_expert, retired = excluded.retired`,
    values: [...values, batchSize],
  });
}

/** Offers photographs no longer: they, or their survey, were deleted or made private. */
export async function withdrawPhotographs(client: pg.ClientBase, imageIds: readonly string[]): Promise<void> {
  if (imageIds.length > 0)
    await client.query('UPDATE offered_photographs SET is_open = false WHERE image_id = ANY($1::text[]) AND is_open', [
      imageIds,
    ]);
}
