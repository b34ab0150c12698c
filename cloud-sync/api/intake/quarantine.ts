import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import { inTurns } from '../../../src/server/ops/document-fold';
import { addGrants, grantsOf } from '../access/grants';
import { parseRoles } from '../../../src/server/ops/author-roles';
import type { ReleaseOptions } from './admission';
import type { BatchContext } from '../store/append-batch';
import { audienceOf } from '../store/append-batch';
import { documentKey, putDocuments, whichExist } from '../store/documents';
import { OutdatedDecisionError } from '../store/outdated-decision';
import { addToFold, loadTouched } from '../store/touched-documents';
import { addFeedEntries } from '../feed/feed';
import { recordBlobs } from '../images/image-blobs';
import type { WriteTransaction } from '../store/writer';

/** Operation hidden until a staff member has reviewed it. */
export interface QuarantinedOp {
  readonly seq: number;
  readonly op: Op;
  readonly by: string | null;
  readonly reason: string;
  readonly storedAt: string;
  readonly broughtBy: { readonly device: string | null; readonly node: string | null };
}

/** Row of {@link QUARANTINED}. */
export interface QuarantinedRow {
  readonly seq: number;
  readonly op: string;
  readonly by_person: string | null;
  readonly author_roles: string | null;
  readonly receipt: string;
  readonly brought_device: string | null;
  readonly brought_node: string | null;
}

/** Quarantined operations with their receipts: `o` are the operations, `f` their entries in the feed. */
export const QUARANTINED =
  'SELECT o.seq, o.op, o.by_person, o.author_roles, f.receipt, f.brought_device, f.brought_node FROM ops o JOIN feed f ON f.seq = o.seq';

export async function listQuarantined(pool: pg.Pool, since: number, limit: number): Promise<QuarantinedOp[]> {
  const { rows } = await pool.query<QuarantinedRow>(
    `${QUARANTINED} WHERE NOT o.accepted AND o.seq > $1 ORDER BY o.seq LIMIT $2`,
    [since, limit],
  );
  return rows.map(toQuarantinedOp);
}

/** An operation that is or was held; undefined if it is not known. */
export async function findQuarantinedOp(pool: pg.Pool, opId: string): Promise<QuarantinedOp | undefined> {
  const { rows } = await pool.query<QuarantinedRow>(`${QUARANTINED} WHERE o.op_id = $1`, [opId]);
  return rows.map(toQuarantinedOp)[0];
}

export function toQuarantinedOp(row: QuarantinedRow): QuarantinedOp {
  const receipt = JSON.parse(row.receipt) as Receipt;
  return {
    seq: row.seq,
    op: JSON.parse(row.op) as Op,
    by: row.by_person,
    reason: receipt.accepted ? '' : (receipt.reason ?? ''),
    storedAt: receipt.storedAt,
    broughtBy: { device: row.brought_device, node: row.brought_node },
  };
}

export async function isQuarantined(pool: pg.Pool, kind: OpKind, docId: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'ops-quarantined',
    text: 'SELECT 1 FROM ops WHERE kind = $1 AND doc_id = $2 AND NOT accepted LIMIT 1',
    values: [kind, docId],
  });
  return rowCount === 1;
}

/**
 * Releases an operation from quarantine, under a new number and with a new, accepting receipt. One released before
 * keeps its receipt.
 *
 * @param how.sees people it gives access to its topic; by default as if vouched for by a box
 * @param how.box box that it gives access to its topic; by default the one that brought it
 * @param how.ceilings `keep`: one that breaks a ceiling of its document stays, with a new receipt that says so; by
 * default staff release it
 * @param how.absent documents that its acceptance takes for new; by default none
 * @throws ReefError `not-found`
 * @throws OutdatedDecisionError if one of `how.absent` exists
 */
export async function releaseOp(
  transaction: WriteTransaction,
  opId: string,
  context: BatchContext,
  { sees, box, ceilings = 'ignore', absent = [] }: ReleaseOptions = {},
): Promise<Receipt> {
  const { client } = transaction;
  const { rows } = await client.query<QuarantinedRow>(`${QUARANTINED} WHERE o.op_id = $1`, [opId]);
  const [row] = rows;
  if (row === undefined) throw new ReefError('not-found', { message: 'This operation is not in quarantine.' });
  const before = JSON.parse(row.receipt) as Receipt;
  if (before.accepted) return before;
  if ((await whichExist(client, absent)).length > 0) throw new OutdatedDecisionError();
  const op = JSON.parse(row.op) as Op;
  const by = op.by ?? row.by_person;
  const submitter = { device: row.brought_device, node: row.brought_node };

  const key = documentKey(op.kind, op.docId);
  const document = (await loadTouched(client, new Map([[key, op]]), ceilings)).get(key);
  const roles = parseRoles(row.author_roles);
  const problem = addToFold(document?.fold, { op, by, roles }, ceilings);
  const accepted = problem === undefined;
  if (accepted)
    await addGrants(transaction, grantsOf(op, by, box === undefined ? submitter : { ...submitter, node: box }, sees));
  const { sig: _sig, kid: _kid, reason: _reason, ...rest } = before;
  const seq = transaction.nextSeq();
  const receipt = context.signer.signReceipt({
    ...rest,
    accepted,
    ...(problem === undefined ? {} : { reason: problem }),
    seq,
    storedAt: context.now().toISOString(),
  });
  await client.query('UPDATE ops SET accepted = $3, seq = $2 WHERE op_id = $1', [opId, seq, accepted]);
  const { rows: waited } = await client.query<{ brought_node: string | null }>(
    'DELETE FROM held WHERE op_id = $1 RETURNING brought_node',
    [opId],
  );
  // A box that vouched for it while it waited is the first that brought it, if none did before.
  const node = submitter.node ?? waited[0]?.brought_node ?? null;
  await addFeedEntries(transaction, [
    { seq, receipt, own: true, submitter: { ...submitter, node }, ...audienceOf({ op, by, accepted, sees }) },
  ]);
  if (accepted && document?.fold !== undefined) {
    await putDocuments(client, [
      { row: await inTurns(document.fold.rowSteps()), countedBefore: document.countedBefore },
    ]);
    // The former receipt names the bytes that were stored at that time.
    const blob = before.blob === undefined ? undefined : blobOf(op);
    await recordBlobs(client, [{ op, facts: blob === undefined ? {} : { blob } }]);
  }
  transaction.newEntries.push({
    seq,
    op,
    receipt,
    ...(op.by === undefined && row.by_person !== null ? { by: row.by_person } : {}),
    ...(row.author_roles === null ? {} : { roles }),
  });
  return receipt;
}
