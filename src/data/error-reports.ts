import { Backoff } from '../base/backoff';
import { Dexie, type EntityTable } from 'dexie';
import { LIMITS } from '../domain/limits';
import type { LogEntry, TabletHost } from '../platform/host';
import { scrubReport, type ErrorReport } from '../domain/error-report';
import { isReported, reportOf, type ReportEnvironment } from '../platform/error-report';
import { anySignal } from '../workers/bridge/any-signal';
import type { Person } from './repositories/account/person';

interface ErrorReportsOptions {
  readonly host: TabletHost;
  /** Database name: separate from people's data, so that neither can harm the other. */
  readonly database: string;
  readonly surroundings: () => ReportEnvironment;
  readonly appVersion: string;
  readonly person: () => Person | null;
  /** Server for reports now; null while they wait: none that this tablet knows answers. */
  readonly target: () => ReportTarget | null;
}

/** Address that takes reports. */
export interface ReportTarget {
  readonly address: string;
  /** Session of this tablet at a box; absent: the address asks for none. */
  readonly session?: string;
}

interface ReportRow {
  readonly n: number;
  readonly report: ErrorReport;
}

/** Report as version 1 of the app queued it: with an email, and without its version. */
interface UnscrubbedReport {
  readonly timezone: string;
  readonly email?: string | null;
}

const TIMEOUT_MS = 30_000;

/** Statuses of a box that ended this tablet's session, or is too old to take reports. */
const BOX_REFUSALS: readonly number[] = [401, 403, 404];

type ReportDatabase = Dexie & { readonly reports: EntityTable<ReportRow, 'n'> };

/**
 * Queue of error reports to the shore's log (3§7), directly or by a box, bounded by the log history and sent in order. A report may arrive
 * twice if the reply was lost; nothing ever waits for it.
 */
export class ErrorReports {
  readonly #db: ReportDatabase;
  readonly #stopListening: () => void;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ firstMs: LIMITS.retryFirstDelayMs, maxMs: LIMITS.connectivityRetryMaxMs });
  /** Sessions at boxes that take no reports, or none of this session. */
  readonly #refusing = new Set<string>();
  #cancelNext = (): void => undefined;
  #last: Promise<void> = Promise.resolve();

  readonly #options: ErrorReportsOptions;

  constructor(options: ErrorReportsOptions) {
    this.#options = options;
    const { host, database } = options;
    this.#db = new Dexie(database, { indexedDB: host.idb.factory, IDBKeyRange: host.idb.keyRange }) as ReportDatabase;
    this.#db.version(1).stores({ reports: '++n' });
    this.#db
      .version(2)
      .stores({ reports: '++n' })
      .upgrade((change) => change.table<ReportRow>('reports').toCollection().modify(scrubRow));
    // Includes entries logged since this page started, before the store was open.
    const startedAt = new Date(host.clock.now() - host.clock.elapsed()).toISOString();
    for (const entry of host.log.entries()) if (entry.at >= startedAt) this.#enqueueReport(entry);
    this.#stopListening = host.log.onNote((entry) => this.#enqueueReport(entry));
    this.send();
  }

  /** Tries to send the queue; call it when a connection may have become available. */
  send(): void {
    this.#cancelNext();
    this.#enqueue(() =>
      this.#options.host.locks.hold(`${this.#options.database}-send`, this.#closing.signal, () => this.#sendAll()),
    );
  }

  async pendingCount(): Promise<number> {
    await this.#last;
    return this.#db.reports.count();
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#cancelNext();
    this.#closing.abort();
    await this.#last;
    this.#db.close();
  }

  #enqueueReport(entry: LogEntry): void {
    const surroundings = this.#options.surroundings();
    if (!isReported(entry, surroundings.host)) return;
    const report = reportOf(entry, surroundings, this.#options.person()?.uid ?? null, this.#options.appVersion);
    this.#enqueue(async () => {
      await this.#db.transaction('rw', this.#db.reports, async () => {
        await this.#db.reports.add({ report });
        const over = (await this.#db.reports.count()) - LIMITS.logHistory;
        if (over > 0) await this.#db.reports.bulkDelete(await this.#db.reports.orderBy('n').limit(over).primaryKeys());
      });
    });
    this.send();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      // A report about a report would loop forever; the log history has it.
      if (!this.#closing.signal.aborted)
        this.#options.host.log.note('warn', 'An error could not be reported.', { error: String(error) });
    });
  }

  async #sendAll(): Promise<void> {
    for (const row of await this.#db.reports.orderBy('n').toArray()) {
      const target = this.#options.target();
      if (target === null || this.#isRefused(target) || this.#closing.signal.aborted) return;
      if (!(await this.#post(target, row.report))) {
        // Reports wait for another server.
        if (this.#isRefused(target)) return;
        this.#cancelNext = this.#options.host.timers.after(this.#backoff.next(), () => this.send());
        return;
      }
      this.#backoff.reset();
      await this.#db.reports.delete(row.n);
    }
  }

  #isRefused({ session }: ReportTarget): boolean {
    return session !== undefined && this.#refusing.has(session);
  }

  /** Returns false to try again later. A reply that would never change ends the report. */
  async #post({ address, session }: ReportTarget, report: ErrorReport): Promise<boolean> {
    const done = new AbortController();
    try {
      const response = await this.#options.host.fetch(address, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(session === undefined ? {} : { Authorization: `Bearer ${session}` }),
        },
        body: JSON.stringify(report),
        signal: anySignal([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS), done.signal]),
      });
      const { status } = response;
      await response.text();
      if (session !== undefined && BOX_REFUSALS.includes(status)) {
        this.#refusing.add(session);
        return false;
      }
      return status < 500 && status !== 408 && status !== 429;
    } catch (_unreachable) {
      return false;
    } finally {
      // Takes the listeners of this report off the other signals.
      done.abort();
    }
  }
}

/** Removes what a report of version 1 of the app contains and a report may no longer contain. */
function scrubRow(row: { report: ErrorReport | (ErrorReport & UnscrubbedReport) }): void {
  if (!('timezone' in row.report)) return;
  const { email: _, timezone, ...rest } = row.report;
  row.report = scrubReport({ ...rest, timeZone: timezone, version: 'unknown' });
}
