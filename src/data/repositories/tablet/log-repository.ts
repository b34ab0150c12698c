import type { Log, LogEntry } from '../../../platform/host';
import type { Observable } from '../live';

export type { LogEntry } from '../../../platform/host';

/** Log of the app on this tablet, for a person to read or pass on. */
export interface LogRepository {
  /** Latest entries (1§9: "Log history 100"), oldest first. */
  readonly entries: Observable<readonly LogEntry[]>;
}

export function createLogRepository(log: Log): LogRepository {
  return { entries: { get: log.entries, subscribe: (onChange) => log.onNote(() => onChange()) } };
}
