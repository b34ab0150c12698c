import type { LogEntry } from '../../../data/repositories';

/** Formats the log for sharing: device facts, then one entry per line, oldest first. */
export function logText(entries: readonly LogEntry[], about: Readonly<Record<string, string>>): string {
  const head = Object.entries(about).map(([name, value]) => `${name}: ${value}`);
  const lines = entries.map(
    ({ at, level, message, details }) =>
      `${at} ${level} ${message}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`,
  );
  return [...head, '', ...lines, ''].join('\n');
}

/** Formats bytes: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit] ?? ''}`;
}
