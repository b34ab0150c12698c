import type { LogEntry } from '../../../data/repositories';

/** Details of an entry as names and values, such as `error: no way, tries: 3`; cut to a few lines. */
export function detailsText(details: unknown): string {
  return formatValue(details).slice(0, DETAILS_MAX);
}

const DETAILS_MAX = 400;

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, part]) => `${name}: ${formatValue(part)}`)
      .join(', ');
  return value === null || value === undefined ? 'none' : String(value as string | number | boolean);
}

/** Formats the log for sharing: device facts, then one entry per line, oldest first. */
export function logText(entries: readonly LogEntry[], about: Readonly<Record<string, string>>): string {
  const head = Object.entries(about).map(([name, value]) => `${name}: ${value}`);
  const lines = entries.map(
    ({ at, level, message, details }) =>
      `${at} ${level} ${message}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`,
  );
  return [...head, '', ...lines, ''].join('\n');
}
