import { Emitter } from '../base/emitter';
import { LIMITS } from '../domain/limits/foundations';
import type { Clock, Log, LogEntry } from './host';

/** Storage of the log across restarts. */
interface LogStorage {
  readonly read: () => string | null;
  readonly write: (text: string) => void;
}

/** Stored length of message and of details, in characters each. */
const STORED_CHARACTERS = 500;

/**
 * Log of the latest entries (1§9: "Log history 100") that passes each to the console.
 * @param keeper stores them shortened across restarts; malformed stored entries are dropped
 */
export function createRingLog(
  clock: Pick<Clock, 'now'>,
  pass: (entry: LogEntry) => void = () => undefined,
  keeper?: LogStorage,
): Log {
  let ring: readonly LogEntry[] = parse(keeper?.read() ?? null);
  const noted = new Emitter<LogEntry>();
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
      noted.emit(entry);
    },
    entries: () => ring,
    onNote: noted.subscribe,
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
