import { z } from 'zod';
import { ReefError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import { isObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import type { Op } from '../../domain/op/op';
import { parseOp } from '../../domain/op/op';
import type { ChangesPage } from '../../protocol/changes';
import { checkOpHash } from '../../protocol/hash';
import type { Receipt } from '../../protocol/receipt';
import { blobOf, checkReceiptIsFor, checkReceiptSignature, receiptSchema } from '../../protocol/receipt';
import type { OpsStore } from '../ops/ops-store';
import { reissueUnsent } from '../ops/reissue';
import { settleNames } from '../ops/settle-names';
import type { CameOp, TakenIn } from '../ops/take-in';
import { ownDevices, takePage } from '../ops/take-in';
import type { Upstream } from '../transport/upstream';

/** A page as it comes: each entry is looked at by itself, so that one bad entry never hides the others. */
const pageSchema = z.object({ storeEpoch: z.string(), entries: z.array(z.unknown()), next: z.int().min(0) });

/**
 * Reads a store's change feed from where it was last read: other people's operations and everybody's receipts. A store with
 * another epoch is read from its beginning.
 */
export class Puller {
  private last: Promise<unknown> = Promise.resolve();
  /** A turn that has not begun: further calls for the same connection join it. */
  private waiting: { readonly upstream: Upstream; subscribe: boolean; readonly done: Promise<void> } | undefined;

  constructor(private readonly store: OpsStore) {}

  /**
   * Reads to the end of the feed, beginning after this call; one at a time.
   *
   * @param subscribe asks the store for hints on this connection, too
   * @throws ReefError as the store answers
   */
  pull(upstream: Upstream, subscribe = false): Promise<void> {
    if (this.waiting?.upstream === upstream) {
      this.waiting.subscribe ||= subscribe;
      return this.waiting.done;
    }
    const begin = (): Promise<void> => {
      if (this.waiting === turn) this.waiting = undefined;
      return this.pullToEnd(upstream, turn.subscribe);
    };
    const turn = { upstream, subscribe, done: this.last.then(begin, begin) };
    this.waiting = turn;
    this.last = turn.done;
    return turn.done;
  }

  private async pullToEnd(upstream: Upstream, subscribe: boolean): Promise<void> {
    const { store } = this;
    const { nodeId, storeEpoch } = upstream;
    for (let first = true; ; first = false) {
      const cursor = await store.run(() => store.db.cursors.get(nodeId));
      const since = cursor?.storeEpoch === storeEpoch ? cursor.since : 0;
      const page = readPage(await upstream.changes(since, LIMITS.changesMax, subscribe && first));
      if (page.storeEpoch !== storeEpoch) throw new ReefError('disconnected', { message: 'A new store was begun. It is verified again.' });
      if (page.entries.length === 0) break;
      if (page.next <= since) throw new ReefError('bad-message', { message: 'The feed does not get further.' });
      const taken = await this.take(upstream, page);
      if (taken.result === 'clash') await (taken.isElsewhere ? this.settleNames(upstream, since) : this.takeNewDeviceId());
    }
  }

  private async take(upstream: Upstream, page: ChangesPage): Promise<TakenIn> {
    const { nodeId, storeEpoch } = upstream;
    const entries = (page.entries as readonly unknown[]).filter(isObject);
    const { ops, came } = await this.opsOf(entries);
    const here = await this.opsHere(entries.filter((_entry, i) => ops[i] === undefined));
    const receipts = await Promise.all(
      entries.map((entry, i) => (entry['receipt'] === undefined ? undefined : this.checkedReceipt(upstream, entry['receipt'], (opId) => ops[i] ?? here.get(opId)))),
    );
    return takePage(this.store, came, receipts.filter((receipt) => receipt !== undefined), { nodeId, storeEpoch, next: page.next });
  }

  /** The operations of some entries, each by itself and those that could be read together. */
  private async opsOf(entries: readonly Readonly<Record<string, unknown>>[]): Promise<{ readonly ops: readonly (Op | undefined)[]; readonly came: readonly CameOp[] }> {
    // Side by side: hashing and checking run off this thread.
    const ops = await Promise.all(entries.map((entry) => (entry['op'] === undefined ? undefined : this.checkedOp(entry['op']))));
    const came = ops.flatMap((op, i): CameOp[] => {
      const by = entries[i]?.['by'];
      return op === undefined ? [] : [{ op, by: op.by ?? (typeof by === 'string' ? by : null) }];
    });
    return { ops, came };
  }

  /** What this version cannot read (a newer kind) or what is damaged is left out, and said in the log. */
  private async checkedOp(value: unknown): Promise<Op | undefined> {
    try {
      const op = parseOp(value);
      await checkOpHash(op, this.store.host.sha256);
      return op;
    } catch (error) {
      this.note('An operation of the feed was left out.', error);
      return undefined;
    }
  }

  /** The operations of this tablet that receipts without one are for. */
  private async opsHere(entries: readonly Readonly<Record<string, unknown>>[]): Promise<ReadonlyMap<string, Op>> {
    const opIds = entries.flatMap(({ receipt }) => (isObject(receipt) && typeof receipt['opId'] === 'string' ? [receipt['opId'] as OpId] : []));
    if (opIds.length === 0) return new Map();
    const rows = await this.store.run(() => this.store.db.ops.bulkGet(opIds));
    return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.opId, row.op] as const])));
  }

  private async checkedReceipt(upstream: Upstream, value: unknown, opOf: (opId: string) => Op | undefined): Promise<Receipt | undefined> {
    try {
      const receipt = receiptSchema.parse(value);
      const isItsOwn = receipt.stage === upstream.stage;
      // What another box receipted is that box's to say; a receipt of an earlier life of this store counts no more.
      if (isItsOwn ? receipt.nodeId !== upstream.nodeId || receipt.storeEpoch !== upstream.storeEpoch : receipt.stage === 'edge') return undefined;
      const keys = isItsOwn ? upstream.receiptKeys : upstream.cloudKeys;
      await checkReceiptSignature(receipt, keys, this.store.host.verifySignature);
      const op = opOf(receipt.opId);
      // A receipt for an operation that is not here yet is kept: the operation may come in a later page.
      if (op !== undefined) checkReceiptIsFor(receipt, op, blobOf(op));
      return receipt;
    } catch (error) {
      this.note('A receipt of the feed was left out.', error);
      return undefined;
    }
  }

  private async takeNewDeviceId(): Promise<void> {
    const deviceId = await this.store.fact('deviceId');
    if (deviceId === undefined) return;
    const count = await reissueUnsent(this.store, deviceId);
    this.store.host.log.note('warn', 'A store knows work of this tablet that it does not know itself: it takes a new id and issues what was unsent again.', { count });
  }

  /** Another store has what this tablet wrote under a name under which this one has something else. */
  private async settleNames(upstream: Upstream, since: number): Promise<void> {
    const { store } = this;
    const devices = await store.run(() => ownDevices(store));
    const came: CameOp[] = [];
    for (let from = since; ; ) {
      const page = readPage(await upstream.changes(from, LIMITS.changesMax, false));
      if (page.storeEpoch !== upstream.storeEpoch) throw new ReefError('disconnected', { message: 'A new store was begun. It is verified again.' });
      if (page.entries.length === 0 || page.next <= from) break;
      const ops = await this.opsOf((page.entries as readonly unknown[]).filter(isObject));
      came.push(...ops.came.filter(({ op }) => devices.has(splitOpId(op.opId).deviceId)));
      from = page.next;
    }
    const count = await settleNames(store, upstream, came);
    if (count === 0) throw new ReefError('internal', { message: 'Two stores know different work under one name, and it could not be settled.' });
    store.host.log.note('warn', 'Two stores know different work of this tablet under the same names: both are issued again under new ones.', { count });
  }

  private note(message: string, error: unknown): void {
    this.store.host.log.note('warn', message, { error: error instanceof Error ? error.message : String(error) });
  }
}

function readPage(value: unknown): ChangesPage {
  const parsed = pageSchema.safeParse(value);
  if (!parsed.success) throw new ReefError('bad-message', { message: 'The feed could not be read.' });
  return parsed.data as unknown as ChangesPage;
}
