import { findDayNumber } from '../calendar-day';
import { LIMITS } from '../limits';

export const TIMES_OF_DAY = ['early morning', 'late morning', 'early afternoon', 'late afternoon'] as const;
export type TimeOfDay = (typeof TIMES_OF_DAY)[number];

/** Fault of a survey's date: `invalid`, before the census (3§5), or after the tablet's date. */
type DateFault = 'invalid' | 'too-early' | 'future';

/**
 * 3§5: "Survey date earliest valid: 1 Sep 2020." The date is compared as written, without a zone.
 *
 * @param date `YYYY-MM-DD` as entered
 * @param today by the tablet's clock, `YYYY-MM-DD`
 * @returns undefined if valid
 */
export function enteredDateFault(date: string, today: string): DateFault | undefined {
  if (findDayNumber(date) === null) return 'invalid';
  if (date.slice(0, 10) < LIMITS.surveyDateEarliest) return 'too-early';
  return date.slice(0, 10) > today ? 'future' : undefined;
}

/**
 * 3§9: early morning 0-9, late morning 9-12, early afternoon 12-15, late afternoon 15-24; start inclusive, end
 * exclusive.
 *
 * @param hour local hours since midnight, 0 up to 24 (fractions allowed)
 * @returns undefined for an invalid hour
 */
export function timeOfDay(hour: number): TimeOfDay | undefined {
  if (!(hour >= 0 && hour < 24)) return undefined;
  const band = LIMITS.timeOfDayBands.find(({ until }) => hour < until);
  return band?.name;
}
