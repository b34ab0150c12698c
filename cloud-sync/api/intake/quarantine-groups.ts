import type pg from 'pg';
import { LIMITS } from '../../../src/domain/limits';
import type { QuarantineFilter, QuarantineGroup } from '../../../src/protocol/quarantine';
import { QUARANTINED, toQuarantinedOp } from './quarantine';
import type { QuarantinedOp, QuarantinedRow } from './quarantine';

/**
 * Reason without its details, and the names and numbers in it, so that a thousand refusals for one cause are one group:
 * a flood chooses which fields of its records are wrong.
 */
const REASON_CLASS = `left(regexp_replace(split_part(coalesce(f.receipt::jsonb ->> 'reason', ''), ': ', 1), '"[^"]*"|[0-9]+', '…', 'g'), 200)`;
/** Box or tablet that submitted it, else the author. */
const SUBMITTER = `coalesce('box ' || f.brought_node, 'tablet ' || f.brought_device, 'person ' || o.by_person, '')`;
const GROUPS_MAX = 200;

/** Condition of a filter over `o` (ops) and `f` (feed); its values are added to `values`. */
function conditionOf(filter: QuarantineFilter, values: unknown[]): string {
  const value = (given: unknown): string => `$${values.push(given)}`;
  const { kind, reason, submitter, q, dismissed } = filter;
  const conditions = [
    'NOT o.accepted',
    `${dismissed === true ? '' : 'NOT '}EXISTS (SELECT FROM dismissed d WHERE d.op_id = o.op_id)`,
  ];
  if (kind !== undefined) conditions.push(`o.kind = ${value(kind)}`);
  if (reason !== undefined) conditions.push(`${REASON_CLASS} = ${value(reason)}`);
  if (submitter !== undefined) conditions.push(`${SUBMITTER} = ${value(submitter)}`);
  if (q !== undefined) conditions.push(`strpos(lower(o.op || ' ' || coalesce(f.receipt, '')), lower(${value(q)})) > 0`);
  return conditions.join(' AND ');
}

/**
 * A page of what matches, oldest first, after the entry `since`. It ends early where its operations have more bytes than
 * a page of the feed: a flood of large ones must not exhaust the service that shows it.
 */
export async function findQuarantined(
  pool: pg.Pool,
  filter: QuarantineFilter,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<{ readonly items: readonly QuarantinedOp[]; readonly more: boolean }> {
  const values: unknown[] = [since, limit + 1];
  const { rows } = await pool.query<QuarantinedRow & { readonly found: number }>(
    `WITH found AS (${QUARANTINED} WHERE o.seq > $1 AND ${conditionOf(filter, values)} ORDER BY o.seq LIMIT $2),
       sized AS (SELECT *, row_number() OVER w AS place, sum(octet_length(op)) OVER w AS total, count(*) OVER ()::int AS found FROM found WINDOW w AS (ORDER BY seq))
     SELECT * FROM sized WHERE place = 1 OR (place < $2 AND total <= ${LIMITS.changesBytesMax}) ORDER BY seq`,
    values,
  );
  return { items: rows.map(toQuarantinedOp), more: rows.length < (rows[0]?.found ?? 0) };
}

/** Names of the oldest that match, up to an entry of the feed. */
export async function namesOfQuarantined(
  pool: pg.Pool,
  filter: QuarantineFilter,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<string[]> {
  const values: unknown[] = [upTo, limit];
  const { rows } = await pool.query<{ op_id: string }>(
    `SELECT o.op_id FROM ops o JOIN feed f ON f.seq = o.seq WHERE o.seq <= $1 AND ${conditionOf(filter, values)} ORDER BY o.seq LIMIT $2`,
    values,
  );
  return rows.map(({ op_id: opId }) => opId);
}

/** Number of operations that match, up to an entry of the feed. */
export async function countQuarantined(
  pool: pg.Pool,
  filter: QuarantineFilter,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const values: unknown[] = [upTo];
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ops o JOIN feed f ON f.seq = o.seq WHERE o.seq <= $1 AND ${conditionOf(filter, values)}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Groups of what matches, by kind and reason or by submitter, the smallest first: a flood is one line at the end. */
export async function groupQuarantined(
  pool: pg.Pool,
  filter: QuarantineFilter,
  by: 'reason' | 'submitter',
): Promise<QuarantineGroup[]> {
  const values: unknown[] = [];
  const keys = by === 'reason' ? `o.kind AS kind, ${REASON_CLASS} AS reason` : `${SUBMITTER} AS submitter`;
  const { rows } = await pool.query<QuarantineGroup>(
    `SELECT ${keys}, count(*)::int AS count, count(DISTINCT ${SUBMITTER})::int AS submitters,
       min(f.receipt::jsonb ->> 'storedAt') AS "firstAt", max(f.receipt::jsonb ->> 'storedAt') AS "lastAt", max(o.seq) AS "lastSeq"
     FROM ops o JOIN feed f ON f.seq = o.seq WHERE ${conditionOf(filter, values)}
     GROUP BY ${by === 'reason' ? '1, 2' : '1'} ORDER BY count, "lastSeq" LIMIT ${GROUPS_MAX}`,
    values,
  );
  return rows;
}

/**
 * Dismisses what matches, up to an entry of the feed: it stays stored, leaves the list, and can still be released.
 *
 * @returns number of operations dismissed
 */
export async function dismiss(
  pool: pg.Pool,
  filter: QuarantineFilter & { readonly opIds?: readonly string[] | undefined },
  { upTo, by, at }: { readonly upTo?: number | undefined; readonly by: string | null; readonly at: Date },
): Promise<number> {
  const values: unknown[] = [upTo ?? Number.MAX_SAFE_INTEGER, at, by, filter.opIds ?? null];
  const { rowCount } = await pool.query(
    `INSERT INTO dismissed (op_id, at, by_person) SELECT o.op_id, $2::timestamptz, $3::text FROM ops o JOIN feed f ON f.seq = o.seq
     WHERE o.seq <= $1 AND ($4::text[] IS NULL OR o.op_id = ANY($4::text[])) AND ${conditionOf({ ...filter, dismissed: undefined }, values)} ON CONFLICT DO NOTHING`,
    values,
  );
  return rowCount ?? 0;
}

/** Puts dismissed operations back into the list; returns their number. */
export async function restoreDismissed(pool: pg.Pool, opIds: readonly string[]): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM dismissed WHERE op_id = ANY($1::text[])', [opIds]);
  return rowCount ?? 0;
}
