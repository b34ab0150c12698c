import type { Region } from '../region/region';
import { dayNumberOf } from '../calendar-day';

/** Survey season of a region (1§9 "Reporting timelines"). */
export type Season = Region['reportingTimeline'];

/** First and last day of a season that begins in a year, as day numbers. */
export function seasonDays({ start, end }: Season, year: number): { readonly first: number; readonly last: number } {
  const endYear = year + (end.nextYear === true ? 1 : 0);
  return { first: dayNumberOf(year, start.month, start.day), last: dayNumberOf(endYear, end.month, end.day) };
}
