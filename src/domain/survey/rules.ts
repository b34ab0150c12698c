import { LIMITS } from '../limits';
import { VALIDATION_MESSAGES } from '../messages';
import type { Survey } from './survey';

export const TIMES_OF_DAY = ['early morning', 'late morning', 'early afternoon', 'late afternoon'] as const;
export type TimeOfDay = (typeof TIMES_OF_DAY)[number];

/**
 * Problems of a survey in the words of 1§5; empty if valid. An invalid survey stays on the device and cannot be sent
 * yet.
 */
export function surveyProblems(survey: Pick<Survey, 'date' | 'user'> & { readonly id?: string | null }): string[] {
  const problems: string[] = [];
  if (!survey.id) problems.push(VALIDATION_MESSAGES.surveyIdRequired);
  if (!survey.user?.uid) problems.push(VALIDATION_MESSAGES.surveyNotLinked);
  const fault = dateFault(survey.date ?? undefined);
  if (fault !== undefined) problems.push(fault);
  return problems;
}

/** Fault of a survey's date: `invalid`, before the census (3§5), or after the tablet's date. */
type DateFault = 'invalid' | 'too-early' | 'future';

/**
 * @param date `YYYY-MM-DD` as entered
 * @param today by the tablet's clock, `YYYY-MM-DD`
 * @returns undefined if valid
 */
export function enteredDateFault(date: string, today: string): DateFault | undefined {
  const words = dateFault(date);
  if (words !== undefined || date === '')
    return words === VALIDATION_MESSAGES.surveyDateTooEarly ? 'too-early' : 'invalid';
  return date.slice(0, 10) > today ? 'future' : undefined;
}

/** 3§5: "Survey date earliest valid: 1 Sep 2020." The date is compared as written, without a zone. */
function dateFault(date: string | undefined): string | undefined {
  if (date === undefined || date === '') return undefined;
  const day = /^(\d{4})-(\d{2})-(\d{2})(?:T|$)/.exec(date);
  if (day === null || !isCalendarDay(Number(day[1]), Number(day[2]), Number(day[3])))
    return VALIDATION_MESSAGES.surveyDateInvalid;
  return date.slice(0, 10) < LIMITS.surveyDateEarliest ? VALIDATION_MESSAGES.surveyDateTooEarly : undefined;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const time = new Date(Date.UTC(year, month - 1, day));
  return time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
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
