import type { ReportImage, ReportSurvey } from '../../../data/repositories';
import { formatCount } from '../../../base/plural';
import { formatDay } from '../../../domain/survey/day';

/** For a fact that a survey lacks. */
export const UNKNOWN = 'Not recorded';

export function surveyDay({ date }: ReportSurvey): string {
  return date === null ? UNKNOWN : formatDay(date);
}

/** Number of photographs: those that were listed, else those of the record. */
export function imageCountText({ images }: ReportSurvey, listed: readonly ReportImage[] | null): string {
  const count = listed === null || listed.length === 0 ? images : listed.length;
  return count === null ? UNKNOWN : formatCount(count, 'image');
}

/** Accessible name of a survey's pin: `Survey of Thu 20 Nov 2025, 40 images`. */
export function markerName(survey: ReportSurvey): string {
  return `Survey of ${surveyDay(survey)}, ${imageCountText(survey, null)}`;
}
