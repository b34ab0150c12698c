import { Backoff } from '../base/backoff';
import { Dexie, type EntityTable } from 'dexie';
import { LIMITS } from '../domain/limits';
import type { TabletHost } from '../platform/host';
import { anySignal } from '../workers/bridge/any-signal';

interface ReportQueueOptions<Report> {
  readonly host: TabletHost;
  /** Database name: separate from people's data, so that neither can harm the other. */
  readonly database: string;
  /** Server for reports now; null while they wait: none that this tablet knows answers. */
  readonly target: () => ReportTarget | null;
  /** Most reports that wait; beyond it the oldest are dropped. */
  readonly max: number;
  /** Reports of one request. */
  readonly batch: number;
  /** Body of a request. */
  readonly bodyOf: (reports: readonly Report[]) => object;
  /** Log entry for a report that could not be stored or sent. */
  readonly failure: string;
  /** Brings a row of the first version of the database up to date. */
  readonly upgrade?: (row: { report: Report }) => void;
}

/** Address that takes reports. */
export interface ReportTarget {
  readonly address: string;
  /** Session of this tablet at a box; absent: the address asks for none. */
  readonly session?: string;
}

interface ReportRow<Report> {
  readonly n: number;
  readonly report: Report;
}

const TIMEOUT_MS = 30_000;

/** Statuses of a box that ended this tablet's session, or is too old to take reports. */
const BOX_REFUSALS: readonly number[] = [401, 403, 404];

type ReportDatabase<Report> = Dexie & { readonly reports: EntityTable<ReportRow<Report>, 'n'> };

/**
 * Queue of reports to the shore, directly or by a box: bounded, sent in order, and by one tab. A report may arrive twice
 * if the reply was lost; nothing ever waits for it.
 */
export class ReportQueue<Report> {
  readonly #db: ReportDatabase<Report>;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ firstMs: LIMITS.retryFirstDelayMs, maxMs: LIMITS.connectivityRetryMaxMs });
  /** Sessions at boxes that take no reports, or none of this session. */
  readonly #refusing = new Set<string>();
  #cancelNext = (): void => undefined;
  #last: Promise<void> = Promise.resolve();

  readonly #options: ReportQueueOptions<Report>;

  constructor(options: ReportQueueOptions<Report>) {
    this.#options = options;
    const { host, database, upgrade } = options;
    this.#db = new Dexie(database, {
      indexedDB: host.idb.factory,
      IDBKeyRange: host.idb.keyRange,
    }) as ReportDatabase<Report>;
    this.#db.version(1).stores({ reports: '++n' });
    if (upgrade !== undefined)
      this.#db
        .version(2)
        .stores({ reports: '++n' })
        .upgrade((change) => change.table<{ report: Report }>('reports').toCollection().modify(upgrade));
  }

  /** Queues a report, and tries to send the queue. */
  add(report: Report): void {
    const { max } = this.#options;
    this.#enqueue(async () => {
      await this.#db.transaction('rw', this.#db.reports, async () => {
        await this.#db.reports.add({ report } as ReportRow<Report>);
        const over = (await this.#db.reports.count()) - max;
        if (over > 0) await this.#db.reports.bulkDelete(await this.#db.reports.orderBy('n').limit(over).primaryKeys());
      });
    });
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
    this.#cancelNext();
    this.#closing.abort();
    await this.#last;
    this.#db.close();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      // A report about a report would loop forever; the log history has it.
      if (!this.#closing.signal.aborted)
        this.#options.host.log.note('warn', this.#options.failure, { error: String(error) });
    });
  }

  async #sendAll(): Promise<void> {
    const rows = await this.#db.reports.orderBy('n').toArray();
    for (let at = 0; at < rows.length; at += this.#options.batch) {
      const some = rows.slice(at, at + this.#options.batch);
      const target = this.#options.target();
      if (target === null || this.#isRefused(target) || this.#closing.signal.aborted) return;
      if (!(await this.#post(target, this.#options.bodyOf(some.map(({ report }) => report))))) {
        // Reports wait for another server.
        if (this.#isRefused(target)) return;
        this.#cancelNext = this.#options.host.timers.after(this.#backoff.next(), () => this.send());
        return;
      }
      this.#backoff.reset();
      await this.#db.reports.bulkDelete(some.map(({ n }) => n));
    }
  }

  #isRefused({ session }: ReportTarget): boolean {
    return session !== undefined && this.#refusing.has(session);
  }

  /** Returns false to try again later. A reply that would never change ends the report. */
  async #post({ address, session }: ReportTarget, body: object): Promise<boolean> {
    const done = new AbortController();
    try {
      const response = await this.#options.host.fetch(address, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(session === undefined ? {} : { Authorization: `Bearer ${session}` }),
        },
        body: JSON.stringify(body),
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
