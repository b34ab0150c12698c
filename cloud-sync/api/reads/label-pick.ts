import { LIMITS } from '../../../src/domain/limits';
import type { Conditions } from './read-definition';

/**
 * Photographs looked at for each priority and half; beyond it the next priority is tried, so that a person who labelled
 * all of one waits for no more than an index scan.
 */
const SCANNED_MAX = 200;

/** `<seed>`, or the `next` of an answer: `<seed>~<priority><half>~<last seed>`. */
const POSITION = /^([0-9a-f]{1,32})(?:~([1-5])([ab])~([0-9a-f]{32}))?$/;

/** True for a place where a pick begins or continues. */
export function isLabelPosition(text: string): boolean {
  return POSITION.test(text);
}

interface LabelPick {
  /** Random place, or `next`. */
  readonly from: string;
  readonly regionId: string;
  /** True for photographs that no expert has analysed; analyses of others do not count. */
  readonly expert: boolean;
}

/** Part of the pool in the order of a pick: of one priority, above or below the random place. */
interface Segment {
  readonly name: string;
  readonly sql: string;
}

/**
 * SQL of the rows `(doc_id, place)` of photographs to label, and of the next position. Priority 1 goes first; within one,
 * seeds follow from the random place on and around, so that people get different photographs, whatever the priority.
 * Each segment is a range of an index, and none is scanned once the earlier ones have enough.
 *
 * @param eligible condition for a photograph of the pool, `c` with `doc_id`
 */
export function labelPick(
  { from, regionId, expert }: LabelPick,
  conditions: Conditions,
  eligible: string,
): { readonly found: string; readonly next: string } {
  const [, origin = '', priority, half, last] = POSITION.exec(from) ?? [];
  const [start, region] = [conditions.value(origin), conditions.value(regionId)];
  const after = last === undefined ? undefined : conditions.value(last);
  const first = priority === undefined ? '1a' : `${priority}${half ?? 'a'}`;
  const segments: Segment[] = [];
  for (let p = LIMITS.surveyPriorityMin; p <= LIMITS.surveyPriorityMax; p++)
    for (const side of ['a', 'b'] as const) {
      const place = `${p}${side}`;
      if (place < first) continue;
      const lower = after !== undefined && place === first ? after : side === 'a' ? start : undefined;
      const range = [
        ...(lower === undefined ? [] : [`p.seed > ${lower}`]),
        ...(side === 'b' ? [`p.seed <= ${start}`] : []),
        ...(expert ? [] : [`p.people <= ${LIMITS.mlAnalysisCountMax}`]),
      ];
      const earlier = segments.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(' + ');
      segments.push({
        name: `s${place}`,
        sql: `s${place} AS MATERIALIZED (SELECT '${place}' AS place, c.seed, c.doc_id FROM (
            SELECT p.seed, p.image_id AS doc_id FROM label_pool p WHERE p.region_id = ${region} AND p.priority = ${p} AND ${range.join(' AND ')} ORDER BY p.seed LIMIT ${SCANNED_MAX}) c
          WHERE ${earlier === '' ? 'true' : `${earlier} < ${LIMITS.mlCandidates}`} AND ${eligible} ORDER BY c.seed LIMIT ${LIMITS.mlCandidates})`,
      });
    }
  const union = segments.map(({ name }) => `SELECT * FROM ${name}`).join(' UNION ALL ');
  return {
    found: `${segments.map(({ sql }) => sql).join(', ')}, picked AS (SELECT place || '~' || seed AS place, doc_id FROM (${union}) u ORDER BY place, seed LIMIT ${LIMITS.mlCandidates})`,
    next: `CASE WHEN count(*) = ${LIMITS.mlCandidates} THEN ${start} || '~' || max(f.place) END`,
  };
}
