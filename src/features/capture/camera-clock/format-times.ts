const DATE_TIME_FORMAT: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};

/** ISO 8601 UTC as `20 Nov 2026, 09:40:00` in the tablet's zone; invalid text unchanged. */
export function formatMoment(iso: string): string {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? iso : new Intl.DateTimeFormat('en-GB', DATE_TIME_FORMAT).format(ms);
}

/** Camera's reading without its zone: `20 Nov 2026, 09:36:18`. */
export function formatReading(taken: string): string {
  const ms = Date.parse(`${taken.slice(0, 19)}Z`);
  return Number.isNaN(ms)
    ? taken
    : new Intl.DateTimeFormat('en-GB', { ...DATE_TIME_FORMAT, timeZone: 'UTC' }).format(ms);
}

/** `09:36:18` of a reading. */
export function formatReadingTime(taken: string): string {
  return taken.slice(11, 19);
}

/** `09:40:00` in the tablet's zone. */
export function formatTime(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(ms);
}

export function zoneMinutes(ms: number): number {
  return -new Date(ms).getTimezoneOffset();
}
