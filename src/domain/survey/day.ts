/** Made once: making one takes longer than a hundred uses. */
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day as a person says it: `Fri 20 Nov 2026`; what is no day is shown as it stands. */
export function formatDay(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0];
  if (day === undefined) return date;
  return DAY.format(new Date(`${day}T00:00:00Z`)).replace(',', '');
}

/** The day at this tablet, `YYYY-MM-DD`. */
export function today(now: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
