import { ReefError } from '../errors';
import { dayNumber, formatDayNumber } from '../calendar-day';
import type { Season } from './season';
import { seasonDays } from './season';

/** Census year of a dataset longer than a season (1§4). */
export const ALL_YEARS = 'All';

/** First and last day of a dataset, `YYYY-MM-DD`; both belong to it. */
export interface DatasetPeriod {
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Census year of a dataset (1§4 "A dataset that spans more than one year counts as census year All"). A season over New
 * Year is one year, that in which it begins; a dataset longer than its region's season is "All". Another dataset has the
 * year of the season that it shares most days with, else that of its first day.
 *
 * @returns four digits, or {@link ALL_YEARS}
 * @throws ReefError `bad-message` with `{field}` for a date that does not exist or dates that are reversed
 */
export function censusYear(period: DatasetPeriod, season: Season): string {
  const { first, last } = periodDays(period);
  const startYear = Number(formatDayNumber(first).slice(0, 4));
  // Leap days make a season's length differ by one: the longest of eight years holds one, also around 1900 and 2100.
  const longest = Math.max(...Array.from({ length: 8 }, (_, i) => seasonLength(season, startYear - i)));
  if (last - first + 1 > longest) return ALL_YEARS;
  const [year] = [startYear - 1, startYear, startYear + 1]
    .map((candidate) => [candidate, sharedDays(seasonDays(season, candidate), first, last)] as const)
    .reduce((best, next) => (next[1] > best[1] ? next : best), [startYear, 0]);
  return String(year).padStart(4, '0');
}

/**
 * Day numbers of a period.
 *
 * @throws ReefError `bad-message` with `{field}` for a date that does not exist or dates that are reversed
 */
export function periodDays({ startDate, endDate }: DatasetPeriod): { readonly first: number; readonly last: number } {
  const first = dayNumber(startDate, 'startDate');
  const last = dayNumber(endDate, 'endDate');
  if (last < first)
    throw new ReefError('bad-message', {
      message: `The dataset ends on ${endDate}, before it starts on ${startDate}. Exchange the dates or correct one.`,
      field: 'endDate',
    });
  return { first, last };
}

function seasonLength(season: Season, year: number): number {
  const { first, last } = seasonDays(season, year);
  return last - first + 1;
}

function sharedDays(season: { readonly first: number; readonly last: number }, first: number, last: number): number {
  return Math.max(0, Math.min(season.last, last) - Math.max(season.first, first) + 1);
}
