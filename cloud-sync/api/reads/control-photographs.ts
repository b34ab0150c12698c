import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { Conditions } from './read-definition';

/** Photographs of experts looked at for one draw. */
const SCANNED_MAX = 100;

/** Photograph that needs no further analysis of a volunteer: analysed five times, or bad (SQL; null if it does). */
export const RETIRED = (image: string): string =>
  `(SELECT true FROM offered_photographs r WHERE r.image_id = ${image}.doc_id AND r.retired)`;

/** True for a photograph of a later batch than the first that waits for analyses (SQL). */
export const IS_LATER = (image: string): string =>
  `coalesce((SELECT r.batch > (SELECT min(w.batch) FROM offered_photographs w WHERE w.is_open AND NOT w.retired) FROM offered_photographs r WHERE r.image_id = ${image}.doc_id), false)`;

/**
 * SQL of the photograph that replaces a found one: itself, or by a draw of one in twenty a photograph that an expert
 * analysed and this person did not. The draw is made of person and photograph, so that asking again draws the same.
 *
 * @param found alias of a row with `doc_id`
 * @param here condition for `o` with `doc_id`: its bytes are stored, and what else the read demands
 */
export function controlOf(found: string, person: string, conditions: Conditions, here: string): string {
  const who = conditions.value(person);
  const draw = `md5(${who} || ${found}.doc_id)`;
  return `CASE WHEN ('x' || left(${draw}, 7))::bit(28)::int % ${ANALYSIS_LIMITS.controlEvery} = 0 THEN coalesce((
      SELECT o.doc_id FROM (SELECT e.image_id AS doc_id, e.seed FROM offered_photographs e WHERE e.is_open AND e.has_expert AND e.seed > reverse(${draw}) ORDER BY e.seed LIMIT ${SCANNED_MAX}) o
      WHERE (SELECT true FROM docs a WHERE a.kind = 'analysis' AND NOT a.deleted AND a.image_id = o.doc_id AND a.owner = ${who} LIMIT 1) IS NULL AND ${here}
      ORDER BY o.seed LIMIT 1), ${found}.doc_id) ELSE ${found}.doc_id END`;
}
