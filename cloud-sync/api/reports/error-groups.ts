import type pg from 'pg';
import { reportTitle, scrubReport } from '../../../src/domain/error-report';
import type { ErrorGroup, ErrorLog } from '../../../src/protocol/cloud-http';

/** Groups stored; closed ones and those without a report for longest are removed first. */
const GROUPS_MAX = 2000;
const SWEEP_EVERY = 100;
/** Groups of one answer. */
const SHOWN_MAX = 200;

/** Title of a report without a message. */
const UNTITLED = 'Without a message';

interface GroupRow extends Omit<ErrorGroup, 'firstAt' | 'lastAt' | 'closedAt' | 'count'> {
  readonly count: string;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly closed_at: Date | null;
}

/** Error reports of apps in groups of the same title and version. */
export class ErrorGroups {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  #sinceSweep = 0;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Adds a report to its group, scrubbed, and opens the group again if it was closed. */
  async add(report: ErrorLog): Promise<void> {
    const example = scrubReport(report);
    await this.#pool.query(
      `INSERT INTO error_groups AS g (title, version, first_at, last_at, example) VALUES ($1, $2, $3, $3, $4)
       ON CONFLICT (title, version) DO UPDATE SET count = g.count + 1, last_at = excluded.last_at, closed_at = NULL, example = excluded.example`,
      [
        reportTitle(example.message) || UNTITLED,
        example.version ?? '',
        new Date(this.#clock()),
        JSON.stringify(example),
      ],
    );
    await this.#sweep();
  }

  /** Open or closed groups, the latest report first. */
  async list(closed: boolean): Promise<ErrorGroup[]> {
    const { rows } = await this.#pool.query<GroupRow>(
      `SELECT id::text, title, version, count, first_at, last_at, closed_at, example FROM error_groups
       WHERE (closed_at IS NOT NULL) = $1 ORDER BY last_at DESC, id DESC LIMIT ${SHOWN_MAX}`,
      [closed],
    );
    return rows.map(({ count, first_at: firstAt, last_at: lastAt, closed_at: closedAt, ...rest }) => ({
      ...rest,
      count: Number(count),
      firstAt: firstAt.toISOString(),
      lastAt: lastAt.toISOString(),
      closedAt: closedAt?.toISOString() ?? null,
    }));
  }

  /** Number of groups: open and closed. */
  async count(): Promise<{ readonly open: number; readonly closed: number }> {
    const { rows } = await this.#pool.query<{ open: number; closed: number }>(
      'SELECT (count(*) - count(closed_at))::int AS open, count(closed_at)::int AS closed FROM error_groups',
    );
    return rows[0] ?? { open: 0, closed: 0 };
  }

  /**
   * Closes a group until its next report.
   * @param seen number of reports that staff saw
   * @returns false if more arrived since, or no such group exists
   */
  async close(id: string, seen: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'UPDATE error_groups SET closed_at = $3 WHERE id = $1 AND count <= $2',
      [id, seen, new Date(this.#clock())],
    );
    return rowCount === 1;
  }

  async #sweep(): Promise<void> {
    if (++this.#sinceSweep < SWEEP_EVERY) return;
    this.#sinceSweep = 0;
    await this.#pool.query(
      'DELETE FROM error_groups WHERE id IN (SELECT id FROM error_groups ORDER BY closed_at IS NULL DESC, last_at DESC, id DESC OFFSET $1)',
      [GROUPS_MAX],
    );
  }
}
