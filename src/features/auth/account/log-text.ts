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
