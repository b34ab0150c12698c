import { LIMITS } from '../domain/limits';
import type { LogEntry, TabletHost } from '../platform/host';
import { scrubReport, type ErrorReport } from '../domain/error-report';
import { isReported, reportOf, type ReportEnvironment } from '../platform/error-report';
import { ReportQueue, type ReportTarget } from './report-queue';
import type { Person } from './repositories/account/person';

interface ErrorReportsOptions {
  readonly host: TabletHost;
  readonly database: string;
  readonly surroundings: () => ReportEnvironment;
  readonly appVersion: string;
  readonly person: () => Person | null;
  readonly target: () => ReportTarget | null;
}

/** Report as version 1 of the app queued it: with an email, and without its version. */
interface UnscrubbedReport {
  readonly timezone: string;
  readonly email?: string | null;
}

/** Error reports to the shore's log (3§7), bounded by the log history. */
export class ErrorReports {
  readonly #queue: ReportQueue<ErrorReport>;
  readonly #stopListening: () => void;

  readonly #options: ErrorReportsOptions;

  constructor(options: ErrorReportsOptions) {
    this.#options = options;
    const { host, database, target } = options;
    this.#queue = new ReportQueue<ErrorReport>({
      host,
      database,
      target,
      max: LIMITS.logHistory,
      batch: 1,
      bodyOf: ([report]) => report ?? {},
      failure: 'An error could not be reported.',
      upgrade: scrubRow,
    });
    // Includes entries logged since this page started, before the store was open.
    const startedAt = new Date(host.clock.now() - host.clock.elapsed()).toISOString();
    for (const entry of host.log.entries()) if (entry.at >= startedAt) this.#report(entry);
    this.#stopListening = host.log.onNote((entry) => this.#report(entry));
    this.send();
  }

  /** Tries to send the queue, as {@link ReportQueue.send}. */
  send(): void {
    this.#queue.send();
  }

  pendingCount(): Promise<number> {
    return this.#queue.pendingCount();
  }

  close(): Promise<void> {
    this.#stopListening();
    return this.#queue.close();
  }

  #report(entry: LogEntry): void {
    const surroundings = this.#options.surroundings();
    if (!isReported(entry, surroundings.host)) return;
    this.#queue.add(reportOf(entry, surroundings, this.#options.person()?.uid ?? null, this.#options.appVersion));
  }
}

/** Removes what a report of version 1 of the app contains and a report may no longer contain. */
function scrubRow(row: { report: ErrorReport | (ErrorReport & UnscrubbedReport) }): void {
  if (!('timezone' in row.report)) return;
  const { email: _, timezone, ...rest } = row.report;
  row.report = scrubReport({ ...rest, timeZone: timezone, version: 'unknown' });
}
