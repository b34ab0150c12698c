import type { EdgeSurvey, SurveyCustody } from '../../data/repositories';

/** How this tablet's count of receipts and the box's own count of photographs stand to each other. */
export type CountCheck =
  | { readonly status: 'same'; readonly count: number }
  | { readonly status: 'different'; readonly surveys: readonly Difference[] };

/** A survey that the two count differently. */
export interface Difference {
  readonly surveyId: string;
  readonly name: string;
  /** Receipts that this tablet has for photographs of the survey. */
  readonly tablet: number;
  /** Photographs whose bytes the box has, as it says. */
  readonly box: number;
}

/**
 * Compares, survey by survey, what this tablet has receipts for with what the box says that it holds. Surveys that only the
 * box knows are no difference: this tablet says nothing of them.
 */
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
