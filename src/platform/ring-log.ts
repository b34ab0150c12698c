import { LIMITS } from '../domain/limits/foundations';
import type { Clock, Log, LogEntry } from './host';

/** Where the history outlives a restart: texts by a name. */
export interface LogStorage {
  readonly read: () => string | null;
  readonly write: (text: string) => void;
}

/** Longest message and details that are kept over a restart, in characters each. */
const STORED_CHARACTERS = 500;

/**
 * Keeps the latest entries (1§9: "Log history 100") and passes each on to the console.
 *
 * @param keeper keeps them over a restart too, shortened; what it gives back and is none is left out
 */
export function createRingLog(
  clock: Pick<Clock, 'now'>,
  pass: (entry: LogEntry) => void = () => undefined,
  keeper?: LogStorage,
): Log {
  let ring: readonly LogEntry[] = parse(keeper?.read() ?? null);
  const listeners = new Set<(entry: LogEntry) => void>();
  return {
    note: (level, message, details) => {
      const entry: LogEntry = {
        at: new Date(clock.now()).toISOString(),
        level,
        message,
        ...(details === undefined ? {} : { details }),
      };
      ring = [...ring, entry].slice(-LIMITS.logHistory);
      keeper?.write(JSON.stringify(ring.map(shortened)));
      pass(entry);
      for (const listener of [...listeners]) listener(entry);
    },
    entries: () => ring,
    onNote: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

function shortened({ details, ...entry }: LogEntry): LogEntry {
  const kept = JSON.stringify(details ?? {});
  return {
    ...entry,
    message: entry.message.slice(0, STORED_CHARACTERS),
    ...(details === undefined
      ? {}
      : { details: kept.length <= STORED_CHARACTERS ? details : { shortened: kept.slice(0, STORED_CHARACTERS) } }),
  };
}

function parse(text: string | null): readonly LogEntry[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEntry).slice(-LIMITS.logHistory) : [];
  } catch (_notJson) {
    return [];
  }
}

function isEntry(value: unknown): value is LogEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { at, level, message, details } = value as Record<string, unknown>;
  return (
    typeof at === 'string' &&
    typeof message === 'string' &&
    (level === 'info' || level === 'warn' || level === 'error') &&
    (details === undefined || (typeof details === 'object' && details !== null))
  );
}
