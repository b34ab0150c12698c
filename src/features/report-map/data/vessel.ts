import type { EdgeSurvey, ReportRead, ReportSurvey } from '../../../data/repositories';
import { ALL_YEARS, censusYear } from '../../../domain/dataset/census-year';
import type { Region } from '../../../domain/region/region';
import { isObject } from '../../../domain/json';

/** True for the day of a survey that is part of a dataset. */
export type IsOfDataset = (day: string | null) => boolean;

/**
 * Days of a dataset, by its census year. The box knows no dates of datasets: a survey after the last one counts to that
 * until staff begin the next.
 */
export function daysOf(
  { censusYear: year, isLatest }: { readonly censusYear: string; readonly isLatest: boolean },
  { reportingTimeline }: Pick<Region, 'reportingTimeline'>,
): IsOfDataset {
  return (day) => {
    if (year === ALL_YEARS) return true;
    const own = yearOf(day, reportingTimeline);
    return own === null ? isLatest : own === year || (isLatest && own > year);
  };
}

function yearOf(day: string | null, season: Region['reportingTimeline']): string | null {
  try {
    return day === null || day === '' ? null : censusYear({ startDate: day, endDate: day }, season);
  } catch (_noDay) {
    return null;
  }
}

/** Surveys of the vessel that are not yet public, by feature id. Private ones never become public. */
export function notYetPublicOf(surveys: readonly EdgeSurvey[], isOfDataset: IsOfDataset): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { loc, date, isNotYetPublic, private: isPrivate } of surveys) {
    const id = isObject(loc) ? (loc as { readonly id?: unknown }).id : undefined;
    if (isNotYetPublic !== true || isPrivate === true || typeof id !== 'string' || !isOfDataset(date)) continue;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/**
 * Surveys of a reef by shore and box together. The shore's copy counts; a survey that the box alone has is marked. What
 * the shore no longer shows is not shown because the box has it either.
 */
export function joinSurveys(
  shore: ReportRead<readonly ReportSurvey[]>,
  vessel: ReportRead<readonly ReportSurvey[]>,
  isOfDataset: IsOfDataset,
): ReportRead<readonly ReportSurvey[]> {
  const isUnpaired = vessel.status === 'error' && vessel.error.details['field'] === 'pairing';
  const isShoreAway = shore.status === 'stored' || shore.status === 'reading';
  const aboard = (vessel.value ?? []).filter(({ date }) => isOfDataset(date));
  const byId = new Map((shore.value ?? []).map((survey) => [survey.id, survey]));
  for (const survey of aboard) {
    const known = byId.get(survey.id);
    if (known !== undefined) byId.set(survey.id, { ...known, isAboardOnly: survey.isAboardOnly });
    else if (survey.isAboardOnly || isShoreAway) byId.set(survey.id, survey);
  }
  const value =
    shore.value === null && (vessel.value === null || isUnpaired)
      ? null
      : [...byId.values()].toSorted((a, b) => ((a.date ?? '') < (b.date ?? '') ? 1 : -1));
  if (isUnpaired && isShoreAway) return { status: 'error', value, asOf: shore.asOf, error: vessel.error };
  if (shore.status === 'ready') return { ...shore, value: value ?? shore.value };
  return { ...shore, value };
}
