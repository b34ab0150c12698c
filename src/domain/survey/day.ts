/** Created once: construction costs more than a hundred uses. */
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Formats a day: `Fri 20 Nov 2026`; invalid text is returned unchanged. */
export function formatDay(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0];
  if (day === undefined) return date;
  return DAY.format(new Date(`${day}T00:00:00Z`)).replace(',', '');
}

export function today(now: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
