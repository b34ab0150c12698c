import type { EdgeSurvey, SurveyCustody } from '../../data/repositories';

/** Comparison of this tablet's receipts with the box's own count of photographs. */
type CountCheck =
  | { readonly status: 'same'; readonly count: number }
  | { readonly status: 'different'; readonly surveys: readonly Difference[] };

interface Difference {
  readonly surveyId: string;
  readonly name: string;
  /** Receipts on this tablet for photographs of the survey. */
  readonly tablet: number;
  /** Photographs whose bytes the box reports to have. */
  readonly box: number;
}

/** Compares receipts with the box's count per survey. Surveys that only the box knows are not a difference. */
export function compareCounts(
  surveys: readonly Pick<SurveyCustody, 'surveyId' | 'name' | 'box'>[],
  box: readonly Pick<EdgeSurvey, 'id' | 'images'>[],
): CountCheck {
  const here = new Map(box.map(({ id, images }) => [id, images.here]));
  const different = surveys.flatMap(({ surveyId, name, box: tablet }): Difference[] => {
    const onBox = here.get(surveyId) ?? 0;
    return onBox === tablet ? [] : [{ surveyId, name, tablet, box: onBox }];
  });
  if (different.length > 0) return { status: 'different', surveys: different };
  return { status: 'same', count: surveys.reduce((sum, { box: n }) => sum + n, 0) };
}
