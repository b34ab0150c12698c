import { LIMITS } from '../domain/limits';
import type { Clock, Log, LogEntry } from './host';

/** Keeps the latest entries (1§9: "Log history 100") and passes each on to the console. */
export function ringLog(clock: Pick<Clock, 'now'>, pass: (entry: LogEntry) => void = () => undefined): Log {
  const ring: LogEntry[] = [];
  return {
    note: (level, message, details) => {
      const entry: LogEntry = { at: new Date(clock.now()).toISOString(), level, message, ...(details === undefined ? {} : { details }) };
      ring.push(entry);
      if (ring.length > LIMITS.logHistory) ring.shift();
      pass(entry);
    },
    entries: () => [...ring],
  };
}
