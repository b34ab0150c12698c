import type { SurveyView } from '../../../data/repositories';
import { formatDay } from '../../../domain/survey/day';
import { plainText } from '../../../domain/reef/plain-text';

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
