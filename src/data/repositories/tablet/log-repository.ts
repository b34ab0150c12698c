import type { Log, LogEntry } from '../../../platform/host';
import type { Observable } from '../live';

export type { LogEntry } from '../../../platform/host';

/** What the app noted of itself on this tablet, for a person who wants to know or to tell. */
export interface LogRepository {
  /** The latest entries (1§9: "Log history 100"), oldest first. */
  readonly entries: Observable<readonly LogEntry[]>;
}

export function createLogRepository(log: Log): LogRepository {
  return { entries: { get: log.entries, subscribe: (onChange) => log.onNote(() => onChange()) } };
}
