import { ReefError } from './errors';

const MS_PER_DAY = 86_400_000;

/**
 * Number of a day since 1 January 1970; null if the text is not a day of the calendar. A time after the day (`T…`) is
 * ignored.
 */
export function findDayNumber(text: unknown): number | null {
  const parts = typeof text === 'string' ? /^(\d{4})-(\d{2})-(\d{2})(?:T|$)/.exec(text) : null;
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  const time = dayTime(year, month, day);
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day ? time.getTime() / MS_PER_DAY : null;
}

/**
 * Number of a day, as {@link findDayNumber}.
 *
 * @param field for the error, such as `startDate`
 * @throws ReefError `bad-message` with `{field}` if the text is not a day of the calendar
 */
export function dayNumber(text: unknown, field: string): number {
  const number = findDayNumber(text);
  if (number !== null) return number;
  throw new ReefError('bad-message', {
    message: `${field} must be a day such as 2025-09-01; ${JSON.stringify(text)?.slice(0, 40) ?? 'nothing'} is not one.`,
    field,
  });
}

/** Number of a day that exists, or of the day after for 29 February in other years. */
export function dayNumberOf(year: number, month: number, day: number): number {
  return dayTime(year, month, day).getTime() / MS_PER_DAY;
}

export function formatDayNumber(number: number): string {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

/** `Date.UTC` takes years below 100 for those of the 20th century. */
function dayTime(year: number, month: number, day: number): Date {
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  return time;
}
