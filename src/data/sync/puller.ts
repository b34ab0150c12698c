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
import { blobOf, checkReceiptMatches, checkReceiptSignature, receiptSchema } from '../../protocol/receipt';
import type { OpsStore } from '../ops/ops-store';
import type { OpIndex } from '../ops/op-index';
import { storeCrewNames } from '../ops/crew-names';
import { storeLostBytes } from '../ops/lost-bytes';
import { reissueUnsent } from '../ops/reissue-unsent';
import { findOps } from '../ops/segments';
import { resolveOpIdClashes } from '../ops/resolve-op-id-clashes';
import type { FeedOp, IngestResult } from '../ops/ingest';
import { ingestPage, isSameOp, ownDeviceIds } from '../ops/ingest';
import type { Upstream } from '../transport/upstream';
import type { OfferedOps } from './sending/offered-ops';

/** Pages fetched and verified ahead while one is stored: storage, verifying worker and box are busy at once. */
const PREFETCHED_PAGES = 2;

/** Unchecked page: entries are parsed one by one, so that a bad entry never hides the others. */
const pageSchema = z.object({
  storeEpoch: z.string(),
  entries: z.array(z.unknown()),
  next: z.int().min(0),
  // A list that cannot be read hides no entry.
  lost: z
    .object({ key: z.string(), sha256: z.array(z.string()) })
    .optional()
    .catch(undefined),
  names: z.record(z.string(), z.string()).optional().catch(undefined),
});

/** Entry whose operation and receipt, if present, were verified individually. */
interface CheckedEntry {
  readonly op: Op | undefined;
  readonly by: string | null;
  readonly receipt: Receipt | undefined;
}

interface PageLoad {
  readonly since: number;
  readonly page: Promise<ChangesPage>;
  readonly checked: Promise<readonly CheckedEntry[]>;
}

/**
 * Reads a store's change feed from its cursor: other people's operations and everyone's receipts. A store with another
 * epoch is read from its beginning.
 */
export class Puller {
  #last: Promise<unknown> = Promise.resolve();
  /** Pull that has not started: further calls for the same connection join it. */
  #queuedPull: { readonly upstream: Upstream; subscribe: boolean; readonly done: Promise<void> } | undefined;

  readonly #store: OpsStore;
  readonly #opIndex: OpIndex;
  readonly #offered: OfferedOps;

  constructor(store: OpsStore, opIndex: OpIndex, offered: OfferedOps) {
    this.#store = store;
    this.#opIndex = opIndex;
    this.#offered = offered;
  }

  /**
   * Reads to the end of the feed, starting after this call; one at a time.
   *
   * @param subscribe also requests hints on this connection
   * @throws ReefError from the store
   */
  pull(upstream: Upstream, subscribe = false): Promise<void> {
    if (this.#queuedPull?.upstream === upstream) {
      this.#queuedPull.subscribe ||= subscribe;
      return this.#queuedPull.done;
    }
    const begin = (): Promise<void> => {
      if (this.#queuedPull === turn) this.#queuedPull = undefined;
      return this.#pullToEnd(upstream, turn.subscribe);
    };
    const turn = { upstream, subscribe, done: this.#last.then(begin, begin) };
    this.#queuedPull = turn;
    this.#last = turn.done;
    return turn.done;
  }

  async #pullToEnd(upstream: Upstream, subscribe: boolean): Promise<void> {
    const store = this.#store;
    const { nodeId, storeEpoch } = upstream;
    let loads: PageLoad[] = [];
    for (let first = true; ; first = false) {
      const cursor = await store.run(() => store.db.cursors.get(nodeId));
      const since = cursor?.storeEpoch === storeEpoch ? cursor.since : 0;
      // After a page that was not stored, the prefetched ones are dropped.
      if (loads[0]?.since !== since) loads = [this.#load(upstream, since, subscribe && first)];
      const [load] = loads as [PageLoad];
      this.#prefetch(upstream, loads);
      const page = await load.page;
      if (page.storeEpoch !== storeEpoch)
        throw new ReefError('disconnected', { message: 'The server has a new store. Verifying it again.' });
      if (page.entries.length === 0) {
        await this.#storeLost(upstream, page);
        break;
      }
      if (page.next <= since) throw new ReefError('bad-message', { message: 'The feed is not advancing.' });
      if (page.names !== undefined && upstream.stage === 'edge') await storeCrewNames(store, page.names);
      const result = await this.#ingest(upstream, page.next, await load.checked);
      loads.shift();
      if (result.result !== 'clash') continue;
      const isElsewhere = result.isElsewhere || result.opIds.some((opId) => this.#offered.hasElsewhere(opId, upstream));
      await (isElsewhere ? this.#resolveClashes(upstream, since) : this.#renewDeviceId(upstream, since));
    }
  }

  /** Stores the list of the bytes that a box lost, if it is another one than is known here. */
  async #storeLost(upstream: Upstream, { lost }: ChangesPage): Promise<void> {
    if (lost === undefined || upstream.stage !== 'edge' || lost.key === this.#opIndex.lostKey(upstream)) return;
    await storeLostBytes(this.#store, upstream, lost);
    await this.#opIndex.follow();
  }

  /** Prefetches and verifies the pages after this one while it is stored. */
  #prefetch(upstream: Upstream, loads: PageLoad[]): void {
    const last = loads.at(-1);
    if (last === undefined || loads.length > PREFETCHED_PAGES) return;
    last.page.then(
      ({ entries, next }) => {
        if (loads.at(-1) !== last || loads.length > PREFETCHED_PAGES || entries.length === 0 || next <= last.since)
          return;
        loads.push(this.#load(upstream, next, false));
        this.#prefetch(upstream, loads);
      },
      // Reported when this page is read.
      () => undefined,
    );
  }

  #load(upstream: Upstream, since: number, subscribe: boolean): PageLoad {
    const page = upstream.changes(since, LIMITS.changesMax, subscribe, this.#opIndex.lostKey(upstream)).then(parsePage);
    const checked = page.then(({ entries }) =>
      Promise.all((entries as readonly unknown[]).filter(isObject).map((entry) => this.#checkEntry(upstream, entry))),
    );
    // Reported when this page is read; ignored if it never is.
    checked.catch(() => undefined);
    return { since, page, checked };
  }

  /**
   * Verifies everything about an entry that needs no other entry. In parallel: hashing and signature checks run off
   * this thread.
   */
  async #checkEntry(upstream: Upstream, { op, by, receipt }: Readonly<Record<string, unknown>>): Promise<CheckedEntry> {
    const [checkedOp, checkedReceipt] = await Promise.all([
      op === undefined ? undefined : this.#checkOp(op),
      receipt === undefined ? undefined : this.#checkReceipt(upstream, receipt),
    ]);
    return { op: checkedOp, by: checkedOp?.by ?? (typeof by === 'string' ? by : null), receipt: checkedReceipt };
  }

  async #ingest(
    { nodeId, storeEpoch }: Upstream,
    next: number,
    entries: readonly CheckedEntry[],
  ): Promise<IngestResult> {
    const stored = await this.#storedOps(entries);
    const receipts = entries.flatMap(({ op, receipt }) =>
      receipt !== undefined && this.#matchesOp(receipt, op ?? stored.get(receipt.opId)) ? [receipt] : [],
    );
    return ingestPage(this.#store, this.#opIndex, opsOf(entries), receipts, { nodeId, storeEpoch, next });
  }

  /** Skips and logs operations that are damaged or of a kind unknown to this version. */
  async #checkOp(value: unknown): Promise<Op | undefined> {
    try {
      const op = parseOp(value);
      await checkOpHash(op, this.#store.host.sha256);
      return op;
    } catch (error) {
      this.#logWarning('An operation in the feed was skipped.', error);
      return undefined;
    }
  }

  /** Stored operations for those receipts that came without one. */
  async #storedOps(entries: readonly CheckedEntry[]): Promise<ReadonlyMap<string, Op>> {
    const store = this.#store;
    const opIndex = this.#opIndex;
    const named = entries.flatMap(({ op, receipt }) =>
      op === undefined && receipt !== undefined ? [receipt.opId as OpId] : [],
    );
    if (named.length === 0) return new Map();
    await opIndex.followOtherTabs();
    const refs = named.flatMap((opId) => opIndex.entries.get(opId) ?? []);
    const rows = await store.run(() =>
      store.db.transaction('r', [store.db.ops, store.db.segments], () => findOps(store, refs)),
    );
    return new Map([...rows].map(([opId, { op }]) => [opId, op]));
  }

  /** Returns a relevant receipt with a verified signature. */
  async #checkReceipt(upstream: Upstream, value: unknown): Promise<Receipt | undefined> {
    try {
      const receipt = receiptSchema.parse(value);
      const isItsOwn = receipt.stage === upstream.stage;
      // Receipts of another box come from that box; a receipt of this store's earlier epoch is void.
      if (
        isItsOwn
          ? receipt.nodeId !== upstream.nodeId || receipt.storeEpoch !== upstream.storeEpoch
          : receipt.stage === 'edge'
      )
        return undefined;
      const keys = isItsOwn ? upstream.receiptKeys : upstream.cloudKeys;
      await checkReceiptSignature(receipt, keys, this.#store.host.verifySignature);
      return receipt;
    } catch (error) {
      this.#logWarning('A receipt in the feed was skipped.', error);
      return undefined;
    }
  }

  /** A receipt for an operation not stored yet is accepted: the operation may come in a later page. */
  #matchesOp(receipt: Receipt, op: Op | undefined): boolean {
    try {
      if (op !== undefined) checkReceiptMatches(receipt, op, blobOf(op));
      return true;
    } catch (error) {
      this.#logWarning('A receipt in the feed was skipped.', error);
      return false;
    }
  }

  /** Takes a new device id. What the store has already, though the reply was lost, or may get yet keeps its number. */
  async #renewDeviceId(upstream: Upstream, since: number): Promise<void> {
    const deviceId = await this.#store.getMeta('deviceId');
    if (deviceId === undefined) return;
    const count = await reissueUnsent(this.#store, deviceId, this.#isKept(await this.#readOwn(upstream, since)));
    this.#store.host.log.note(
      'warn',
      'A store has unknown work under this tablet’s id; taking a new id and reissuing unsent work.',
      { count },
    );
  }

  /** Resolves op ids under which another store has this tablet's operation and this one a different one. */
  async #resolveClashes(upstream: Upstream, since: number): Promise<void> {
    const store = this.#store;
    const feedOps = await this.#readOwn(upstream, since);
    const count = await resolveOpIdClashes(store, upstream, feedOps, this.#isKept(feedOps));
    if (count === 0)
      throw new ReefError('internal', {
        message: 'Two stores have different work under the same id, and the conflict could not be resolved.',
      });
    store.host.log.note(
      'warn',
      'Two stores have different work of this tablet under the same ids; reissuing both under new ids.',
      { count },
    );
  }

  /**
   * Tells which unsent operations keep their id: those that the store has under it, and those that some store was
   * offered, unless this one has another operation there. Their answers settle them.
   */
  #isKept(feedOps: readonly FeedOp[]): (op: Op) => boolean {
    const stored = new Map(feedOps.map(({ op }) => [op.opId, op]));
    return (op) => {
      const there = stored.get(op.opId);
      return there === undefined ? this.#offered.has(op.opId) : isSameOp(there, op);
    };
  }

  /** Operations of this tablet's devices in the rest of a feed. */
  async #readOwn(upstream: Upstream, since: number): Promise<readonly FeedOp[]> {
    const devices = await this.#store.run(() => ownDeviceIds(this.#store));
    const feedOps: FeedOp[] = [];
    for (let from = since; ;) {
      const load = this.#load(upstream, from, false);
      const page = await load.page;
      if (page.storeEpoch !== upstream.storeEpoch)
        throw new ReefError('disconnected', { message: 'The server has a new store. Verifying it again.' });
      if (page.entries.length === 0 || page.next <= from) return feedOps;
      feedOps.push(...opsOf(await load.checked).filter(({ op }) => devices.has(splitOpId(op.opId).deviceId)));
      from = page.next;
    }
  }

  #logWarning(message: string, error: unknown): void {
    this.#store.host.log.note('warn', message, { error: error instanceof Error ? error.message : String(error) });
  }
}

function opsOf(entries: readonly CheckedEntry[]): readonly FeedOp[] {
  return entries.flatMap(({ op, by }) => (op === undefined ? [] : [{ op, by }]));
}

function parsePage(value: unknown): ChangesPage {
  const parsed = pageSchema.safeParse(value);
  if (!parsed.success) throw new ReefError('bad-message', { message: 'The feed could not be read.' });
  return parsed.data as unknown as ChangesPage;
}
