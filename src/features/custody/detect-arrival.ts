import type { SurveyCustody } from '../../data/repositories';

/** What came about between two counts, as far as a person wants to hear of it. */
export type Arrival = 'tick' | 'survey' | 'done' | null;

type Counted = Pick<SurveyCustody, 'surveyId' | 'total' | 'box' | 'alone'>;

/**
 * What the later of two counts brought: `done` when the last photograph that was here alone got its receipt, `survey` when
 * that of one survey did, `tick` when any did. Photographs that were only removed, or that came from other tablets, bring
 * nothing.
 */
export function detectArrival(before: readonly Counted[], after: readonly Counted[]): Arrival {
  const earlier = new Map(before.map((survey) => [survey.surveyId, survey]));
  const came = after.filter(({ surveyId, alone, box }) => {
    const was = earlier.get(surveyId);
    return was !== undefined && alone < was.alone && box > was.box;
  });
  if (came.length === 0) return null;
  if (after.every(({ alone }) => alone === 0)) return 'done';
  return came.some(({ alone }) => alone === 0) ? 'survey' : 'tick';
}
