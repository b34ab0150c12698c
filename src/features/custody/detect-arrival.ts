import type { SurveyCustody } from '../../data/repositories';

type Arrival = 'tick' | 'survey' | 'done' | null;

type Counted = Pick<SurveyCustody, 'surveyId' | 'total' | 'box' | 'alone'>;

/**
 * Compares two counts: `done` when the last photograph that was only here got its receipt, `survey` for the last of one
 * survey, `tick` for any. Removals and other tablets' photographs do not count.
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
