import type pg from 'pg';
import type { PersonId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { SubmittedBy } from '../../../src/server/ops/append-store';
import type { HeldOp, HeldPage, HeldStore } from './admission';
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

/** Operations of a page: anyone can make others' keys long, of operations of 2 MB. */
const PAGE = 100;
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

/** Loads pages of held operations by `<after> <what they wait for>`, oldest first. */
export async function loadHeldFor(pool: pg.Pool, keys: readonly string[]): Promise<Map<string, HeldPage>> {
  const { rows } = await pool.query<Row & { readonly key: string; readonly seq: number }>({
    name: 'held-for',
    text: `SELECT k.key, p.* FROM unnest($1::text[], $2::bigint[], $3::text[]) AS k(key, after, waits_for) CROSS JOIN LATERAL (
             ${SELECT.replace('SELECT', 'SELECT o.seq,')} WHERE h.waits_for = k.waits_for AND o.seq > k.after ORDER BY o.seq LIMIT ${PAGE}) p
           ORDER BY p.seq`,
    values: [
      keys,
      keys.map((key) => key.slice(0, key.indexOf(' '))),
      keys.map((key) => key.slice(key.indexOf(' ') + 1)),
    ],
  });
  const found = new Map<string, (typeof rows)[number][]>();
  for (const row of rows) {
    const page = found.get(row.key);
    if (page === undefined) found.set(row.key, [row]);
    else page.push(row);
  }
  return new Map(
    [...found].map(([key, page]) => [
      key,
      { items: page.map(toHeldOp), next: page.length < PAGE ? null : (page.at(-1)?.seq ?? null) },
    ]),
  );
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
    hasWritten: (writer, person, topic, analysis) => reads.hasWritten(writer, person, topic, analysis),
    findHeld: (opId) => reads.findHeld(opId),
    listHeldFor: (waitsFor, after) => reads.listHeldFor(waitsFor, after),
    listHeld: (opId, limit) => retry(() => loadHeldPage(pool, opId, limit)),
    updateHeld: (opId, waitsFor, brought) => retry(() => saveHeld(pool, opId, waitsFor, brought)),
    release,
  };
}
