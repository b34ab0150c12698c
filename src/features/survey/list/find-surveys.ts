import type { SurveyCustody, SurveyView } from '../../../data/repositories';
import { formatDay } from '../../../domain/survey/day';
import { plainText } from '../../../domain/reef/plain-text';

export const SURVEY_FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'mine', label: 'Mine' },
  { value: 'unsent', label: 'Unsent' },
] as const;
export type SurveyFilter = (typeof SURVEY_FILTERS)[number]['value'];

interface FilterFacts {
  readonly me: string | null;
  readonly custody: ReadonlyMap<string, Pick<SurveyCustody, 'total' | 'box' | 'shore'>>;
}

/** Surveys of the current user, or those of which something is on this tablet alone. */
export function filterSurveys(
  surveys: readonly SurveyView[],
  filter: SurveyFilter,
  { me, custody }: FilterFacts,
): readonly SurveyView[] {
  if (filter === 'all') return surveys;
  if (filter === 'mine') return surveys.filter(({ person }) => person !== null && person === me);
  return surveys.filter(({ id, custody: { status } }) => {
    const counts = custody.get(id);
    return (
      status === 'tablet' ||
      status === 'on-its-way' ||
      status === 'held' ||
      (counts !== undefined && counts.total > Math.max(counts.box, counts.shore))
    );
  });
}

/** Surveys that contain every word of a query in name, place, number or day, in their order; all for an empty query. */
export function findSurveys(surveys: readonly SurveyView[], query: string): readonly SurveyView[] {
  const words = plainText(query)
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return surveys;
  return surveys.filter((survey) => {
    const text = ` ${searchTextOf(survey)} `;
    // `20` matches "20 Nov" but not the start of 2026; the last word may be incomplete.
    return words.every(
      (word, i) =>
        text.includes(i < words.length - 1 && /^\d{1,2}$/.test(word) ? ` ${word} ` : ` ${word}`) ||
        (word.length > 2 && text.includes(word)),
    );
  });
}

const searchTexts = new WeakMap<SurveyView, string>();

function searchTextOf(survey: SurveyView): string {
  const cached = searchTexts.get(survey);
  if (cached !== undefined) return cached;
  const made = plainText(
    [survey.name, survey.place, survey.gid ?? '', survey.date, survey.date === '' ? '' : formatDay(survey.date)].join(
      ' ',
    ),
  );
  searchTexts.set(survey, made);
  return made;
}
