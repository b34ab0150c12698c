import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { ReefError } from '../../src/domain/errors';
import { makeId } from '../../src/domain/ids';
import type { Receipt } from '../../src/protocol/receipt';
import type { StoreIdentity } from '../../src/server/ops/append-store';
import type { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import type { NodeIdentity } from './node-identity-file';
import type { Report } from './open-database';

interface IdentityOptions {
  readonly signer: ReceiptSigner;
  /** Identity stored outside the database. */
  readonly lastKnown: NodeIdentity | undefined;
  /** True if the operator says that the database was restored from a backup. */
  readonly restored: boolean;
  readonly report: Report;
}

/**
 * Resolves the identity of this store (protocol, "Receipts and keys": "`storeEpoch` is random per store creation"). A
 * database restored from a backup gets a new epoch, or tablets would assume that everything they have receipts for is
 * still here. A restore is declared by the operator or detected: the database ends before the last known entry, or has
 * an epoch that this box has left.
 */
export function resolveIdentity(
  database: Database,
  { signer, lastKnown, restored, report }: IdentityOptions,
): StoreIdentity {
  const get = database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const put = database.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const storeMeta = (key: string, value: string): string => {
    put.run(key, value);
    return value;
  };
  return database
    .transaction((): StoreIdentity => {
      const stored = { nodeId: get.get('nodeId')?.value, storeEpoch: get.get('storeEpoch')?.value };
      const nodeId = lastKnown?.nodeId ?? stored.nodeId ?? newId();
      if (nodeId !== stored.nodeId) storeMeta('nodeId', nodeId);
      if (stored.storeEpoch === undefined)
        return { stage: 'edge', nodeId, storeEpoch: storeMeta('storeEpoch', newId()) };
      const reason = restored
        ? 'it was put back from a backup'
        : staleReason(database, { ...stored, storeEpoch: stored.storeEpoch }, lastKnown);
      if (reason === undefined) return { stage: 'edge', nodeId, storeEpoch: stored.storeEpoch };
      const identity: StoreIdentity = { stage: 'edge', nodeId, storeEpoch: storeMeta('storeEpoch', newId()) };
      const receipts = reissueReceipts(database, signer, identity);
      report(
        `The record of this box begins a new epoch, as ${reason}. Nothing was deleted: ${receipts} receipts were issued again, and the tablets offer everything again, so that missing data comes back.`,
      );
      return identity;
    })
    .immediate();
}

function newId(): string {
  return makeId((n) => randomBytes(n));
}

/** Number of the last entry of the change feed; 0: none. */
export function lastSeq(database: Database): number {
  return database.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM feed').get()?.seq ?? 0;
}

function staleReason(
  database: Database,
  stored: { readonly nodeId: string | undefined; readonly storeEpoch: string },
  lastKnown: NodeIdentity | undefined,
): string | undefined {
  if (lastKnown === undefined) return undefined;
  if (stored.nodeId !== lastKnown.nodeId) return 'it was another box’s';
  if (stored.storeEpoch !== lastKnown.storeEpoch) return 'it is an older copy, from before the last new epoch';
  const last = lastSeq(database);
  return last < lastKnown.lastSeq
    ? `it ends at entry ${last}, and this box had come to entry ${lastKnown.lastSeq}: it is an older copy`
    : undefined;
}

/** Signs every receipt of this store again under its new epoch, so that clients asking again get a valid one. */
function reissueReceipts(database: Database, signer: ReceiptSigner, { nodeId, storeEpoch }: StoreIdentity): number {
  const page = database.prepare<[number], { seq: number; receipt: string }>(
    'SELECT feed.seq, feed.receipt FROM feed JOIN ops ON ops.seq = feed.seq WHERE feed.seq > ? ORDER BY feed.seq LIMIT 1000',
  );
  const update = database.prepare<[string, string, string, number]>(
    'UPDATE feed SET node_id = ?, store_epoch = ?, receipt = ? WHERE seq = ?',
  );
  let count = 0;
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER)) {
    for (const { seq, receipt } of rows) {
      const { sig: _sig, kid: _kid, ...unsigned } = JSON.parse(receipt) as Receipt;
      if (unsigned.stage !== 'edge')
        throw new ReefError('internal', { message: 'An operation of this box has a receipt of another stage.' });
      update.run(nodeId, storeEpoch, JSON.stringify(signer.signReceipt({ ...unsigned, nodeId, storeEpoch })), seq);
      count += 1;
    }
  }
  return count;
}
