import type pg from 'pg';
import type { PersonId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { SubmittedBy } from '../../../src/server/ops/append-store';
import type { HeldOp, HeldStore } from './admission';
import type { AppendJob } from '../store/append-job';

interface Row {
  readonly op: string;
  readonly by_person: PersonId | null;
  readonly waits_for: string;
  readonly brought_device: string | null;
  readonly brought_node: string | null;
  readonly brought_person: PersonId | null;
  readonly vouched: boolean;
}

/** Rows per retry; the rest follows at the next one. */
const BATCH_MAX = 1000;
const SELECT =
  'SELECT o.op, o.by_person, h.waits_for, h.brought_device, h.brought_node, h.brought_person, h.vouched FROM held h JOIN ops o ON o.op_id = h.op_id';

/** Stores what quarantined operations wait for, if it can happen without staff. */
export async function addHeld(client: pg.ClientBase, jobs: readonly AppendJob[]): Promise<void> {
  const held = jobs.filter(({ facts }) => facts.quarantine !== undefined && facts.waitsFor !== undefined);
  if (held.length === 0) return;
  await client.query({
    name: 'held-add',
    text: `INSERT INTO held (op_id, waits_for, brought_device, brought_node, brought_person, vouched)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[])`,
    values: [
      held.map(({ op }) => op.opId),
      held.map(({ facts }) => facts.waitsFor),
      held.map(({ facts }) => facts.brought?.device ?? null),
      held.map(({ facts }) => facts.brought?.node ?? null),
      held.map(({ facts }) => facts.brought?.person ?? null),
      held.map(({ facts }) => facts.brought?.vouched === true),
    ],
  });
}

export async function loadHeld(pool: pg.Pool, opIds: readonly string[]): Promise<Map<string, HeldOp>> {
  const { rows } = await pool.query<Row>({
    name: 'held-under',
    text: `${SELECT} WHERE h.op_id = ANY($1::text[])`,
    values: [opIds],
  });
  return new Map(rows.map(toHeldOp).map((held) => [held.op.opId, held]));
}

/** Loads held operations by what they wait for, oldest first. */
export async function loadHeldFor(pool: pg.Pool, keys: readonly string[]): Promise<Map<string, HeldOp[]>> {
  const { rows } = await pool.query<Row>({
    name: 'held-for',
    text: `${SELECT} WHERE h.waits_for = ANY($1::text[]) ORDER BY o.seq LIMIT ${BATCH_MAX}`,
    values: [keys],
  });
  const found = new Map<string, HeldOp[]>();
  for (const held of rows.map(toHeldOp)) found.set(held.waitsFor, [...(found.get(held.waitsFor) ?? []), held]);
  return found;
}

async function loadHeldPage(pool: pg.Pool, after: string, limit: number): Promise<HeldOp[]> {
  const { rows } = await pool.query<Row>(`${SELECT} WHERE h.op_id > $1 ORDER BY h.op_id LIMIT $2`, [after, limit]);
  return rows.map(toHeldOp);
}

/** Updates an operation that was submitted again or now waits for something else. */
async function saveHeld(
  pool: pg.Pool,
  opId: string,
  waitsFor: string,
  { device, node, person = null, vouched = false }: SubmittedBy,
): Promise<void> {
  await pool.query({
    name: 'held-on',
    text: 'UPDATE held SET waits_for = $2, brought_device = $3, brought_node = $4, brought_person = $5, vouched = $6 WHERE op_id = $1',
    values: [opId, waitsFor, device, node, person, vouched],
  });
}

function toHeldOp(row: Row): HeldOp {
  return {
    op: JSON.parse(row.op) as Op,
    by: row.by_person,
    waitsFor: row.waits_for,
    submittedBy: {
      device: row.brought_device,
      node: row.brought_node,
      person: row.brought_person,
      vouched: row.vouched,
    },
  };
}

interface PgHeldStoreOptions {
  readonly pool: pg.Pool;
  readonly reads: Pick<HeldStore, 'hasGrant' | 'hasWritten' | 'findHeld' | 'listHeldFor'>;
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  readonly release: HeldStore['release'];
}

export function createPgHeldStore({ pool, reads, retry, release }: PgHeldStoreOptions): HeldStore {
  return {
    hasGrant: (person, topic) => reads.hasGrant(person, topic),
    hasWritten: (tablet, person, topic) => reads.hasWritten(tablet, person, topic),
    findHeld: (opId) => reads.findHeld(opId),
    listHeldFor: (waitsFor) => reads.listHeldFor(waitsFor),
    listHeld: (opId, limit) => retry(() => loadHeldPage(pool, opId, limit)),
    updateHeld: (opId, waitsFor, brought) => retry(() => saveHeld(pool, opId, waitsFor, brought)),
    release,
  };
}
