import type pg from 'pg';
import { canonicalJson } from '../../../src/domain/canonical';
import type { PersonId, Sha256 } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { ParkedOp } from './parking';
import { opIdMismatchError } from '../store/append-job';

interface Row {
  readonly op: string;
  readonly by_person: PersonId | null;
  readonly brought_device: string | null;
  readonly brought_node: string | null;
  readonly brought_person: PersonId | null;
  readonly vouched: boolean;
  readonly needs: Sha256[];
}

/**
 * Parks an operation until its bytes arrive. Repeats change nothing, except that a box may now vouch for it.
 *
 * @throws ReefError `receipt-mismatch` if a different operation is parked under that id
 */
export async function park(pool: pg.Pool, { op, by, submittedBy, needs }: ParkedOp, at: Date): Promise<void> {
  const text = canonicalJson(op as unknown as JsonObject);
  // A single statement is its own transaction: durable once answered.
  const { rows } = await pool.query<{ op: string }>(
    `INSERT INTO parked (op_id, op, by_person, brought_device, brought_node, brought_person, vouched, needs, parked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (op_id) DO UPDATE SET vouched = parked.vouched OR (excluded.vouched AND parked.op = excluded.op),
       brought_node = CASE WHEN parked.op = excluded.op THEN coalesce(parked.brought_node, excluded.brought_node) ELSE parked.brought_node END RETURNING op`,
    [
      op.opId,
      text,
      by,
      submittedBy.device,
      submittedBy.node,
      submittedBy.person ?? null,
      submittedBy.vouched === true,
      needs,
      at,
    ],
  );
  if (rows[0]?.op !== text) throw opIdMismatchError();
}

export async function loadParked(pool: pg.Pool, opIds: readonly string[]): Promise<Map<string, ParkedOp>> {
  const { rows } = await pool.query<Row>({
    name: 'parked-under',
    text: 'SELECT op, by_person, brought_device, brought_node, brought_person, vouched, needs FROM parked WHERE op_id = ANY($1::text[])',
    values: [opIds],
  });
  return new Map(rows.map(toParkedOp).map((parked) => [parked.op.opId, parked]));
}

export async function loadParkedFor(pool: pg.Pool, sha256: string): Promise<ParkedOp[]> {
  const { rows } = await pool.query<Row>(
    'SELECT op, by_person, brought_device, brought_node, brought_person, vouched, needs FROM parked WHERE needs @> ARRAY[$1]::text[] ORDER BY parked_at, op_id',
    [sha256],
  );
  return rows.map(toParkedOp);
}

/** Loads all parked operations, in pages by id, for the check at start: the bytes may have arrived before a crash. */
export async function loadParkedPage(pool: pg.Pool, after: string, limit: number): Promise<ParkedOp[]> {
  const { rows } = await pool.query<Row>(
    'SELECT op, by_person, brought_device, brought_node, brought_person, vouched, needs FROM parked WHERE op_id > $1 ORDER BY op_id LIMIT $2',
    [after, limit],
  );
  return rows.map(toParkedOp);
}

function toParkedOp(row: Row): ParkedOp {
  return {
    op: JSON.parse(row.op) as Op,
    by: row.by_person,
    submittedBy: {
      device: row.brought_device,
      node: row.brought_node,
      person: row.brought_person,
      vouched: row.vouched,
    },
    needs: row.needs,
  };
}
