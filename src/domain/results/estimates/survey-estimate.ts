import type { PhotographFigure } from '../photograph-figure';
import type { ByEstimatedClass } from './photograph-covers';
import { byClass, photographCovers } from './photograph-covers';

/**
 * Figures of a survey on one reef: all that the results of reef and dataset and the spread of the region need of its
 * photographs. Plain JSON; numbers are exact.
 */
export interface SurveyEstimate {
  readonly surveyId: string;
  /** ISO 8601 day; null if unknown. */
  readonly day: string | null;
  /** Photographs that count in the covers. */
  readonly photographs: number;
  /** Photographs that do not: bad, or hardly anything of them is known. */
  readonly uncounted: number;
  /** Analysts of the photographs that count, in order. */
  readonly analysts: readonly string[];
  /** Mean cover, fraction; 0 without photographs. */
  readonly means: ByEstimatedClass;
  /** Sum of the squared deviations from the mean. */
  readonly squares: ByEstimatedClass;
  /** Mean of the photographs' posterior variances. */
  readonly noise: ByEstimatedClass;
}

/** Facts of a survey's own record. */
interface SurveyFacts {
  readonly surveyId: string;
  readonly day: string | null;
}

/**
 * Figures of a survey. Each photograph counts alike: weights by its variance would favour photographs without coral, of
 * which analysts are surest.
 *
 * @param photographs of the survey, in any order
 */
export function surveyEstimate(photographs: readonly PhotographFigure[], facts: SurveyFacts): SurveyEstimate {
  const inOrder = [...photographs].sort((a, b) => compareText(a.imageId, b.imageId));
  const counted = inOrder.flatMap((figure) => {
    const covers = photographCovers(figure);
    return covers === null ? [] : [{ ...covers, analysts: figure.analysts }];
  });
  const mean = (valueOf: (covers: (typeof counted)[number]) => number): number =>
    counted.length === 0 ? 0 : counted.reduce((sum, covers) => sum + valueOf(covers), 0) / counted.length;
  const means = byClass((name) => mean(({ values }) => values[name]));
  return {
    surveyId: facts.surveyId,
    day: facts.day,
    photographs: counted.length,
    uncounted: photographs.length - counted.length,
    analysts: distinctSorted(counted.flatMap(({ analysts }) => analysts)),
    means,
    squares: byClass((name) => counted.reduce((sum, { values }) => sum + (values[name] - means[name]) ** 2, 0)),
    noise: byClass((name) => mean(({ variances }) => variances[name])),
  };
}

/** Order of code units: the same on every machine, in any language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const distinctSorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort(compareText);

/** Surveys with photographs that count, in order of their ids: sums over them do not depend on arrival. */
export const countedSurveys = (surveys: readonly SurveyEstimate[]): readonly SurveyEstimate[] =>
  surveys.filter(({ photographs }) => photographs > 0).sort((a, b) => compareText(a.surveyId, b.surveyId));
