import type { Receipt } from '../../../src/protocol/receipt';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { DayBudget } from './budget';
import type { BridgeClock } from '../runtime';
import type { BridgeState, BridgeStateStore, OpenItem, RejectedEntry } from './bridge-state';

/** A save rests this many times as long as the one before took. */
const SAVE_REST_FACTOR = 10;
/** How much of the budget's day may pass unsaved while nothing is sent, ms. */
const DAY_SAVE_MS = 10 * 60_000;

/**
 * What the bridge knows of its work: the two cursors, what stands open behind them, and which operations the present cloud
 * has receipted. Memory may be ahead of the file, never behind: an older file costs a repetition alone.
 */
export class SyncTracker {
  readonly #store: BridgeStateStore;
  readonly #clock: BridgeClock;
  readonly #state: BridgeState;
  readonly #budget: DayBudget;
  readonly open: Map<string, OpenItem>;
  /** By the place in the cloud's feed. */
  readonly rejected: Map<number, RejectedEntry>;
  /** Operations with a receipt of the present cloud, as far as they were seen since start. */
  readonly receipted = new Set<string>();
  /** When a single item may be tried again, by opId or place, ms of the monotonic clock; a restart tries at once. */
  readonly notBefore = new Map<string | number, number>();
  /** Goes up with every change of what is open. */
  version = 0;
  #changed = false;
  #saving: Promise<void> | undefined;
  #restUntil = 0;

  constructor(store: BridgeStateStore, clock: BridgeClock, state: BridgeState, budget: DayBudget) {
    this.#store = store;
    this.#clock = clock;
    this.#state = state;
    this.#budget = budget;
    this.open = new Map(state.open.map((item) => [item.opId, item]));
    this.rejected = new Map(state.strayed.map((entry) => [entry.seq, entry]));
  }

  get edgeEpoch(): string | null {
    return this.#state.edge.epoch;
  }

  get cloudEpoch(): string | null {
    return this.#state.cloud.epoch;
  }

  get edgeCursor(): number {
    return this.#state.edge.cursor;
  }

  get cloudCursor(): number {
    return this.#state.cloud.cursor;
  }

  get verified(): BridgeState['verified'] {
    return this.#state.verified;
  }

  set verified(value: BridgeState['verified']) {
    this.#state.verified = value;
    this.markChanged();
  }

  /** Everything of the box's feed up to here is receipted or stands in `open`. */
  advanceEdgeCursor(seq: number): void {
    this.#state.edge.cursor = seq;
    this.markChanged();
  }

  /** Everything of the cloud's feed up to here is aboard or stands in `strayed`. */
  advanceCloudCursor(seq: number): void {
    this.#state.cloud.cursor = seq;
    this.markChanged();
  }

  /** Takes up who the nodes are. A changed store voids what is known of it; gives what changed. */
  updateEpoch(side: 'edge' | 'cloud', epoch: string): 'same' | 'first' | 'changed' {
    const before = this.#state[side].epoch;
    if (before === epoch) return 'same';
    const changed = before !== null;
    this.#state[side].epoch = epoch;
    // Another box begins its feed anew and knows nothing of the cloud's; another cloud has receipted nothing.
    this.#state.edge.cursor = 0;
    this.#state.cloud.cursor = 0;
    this.open.clear();
    this.rejected.clear();
    this.receipted.clear();
    this.notBefore.clear();
    if (side === 'cloud') this.#state.verified = null;
    this.markChanged();
    return changed ? 'changed' : 'first';
  }

  /** Notes what stands open behind the cursor. */
  addOpen(item: OpenItem): void {
    this.open.set(item.opId, item);
    this.markChanged();
  }

  /** The cloud's receipt for it is aboard. */
  settle(opId: string): void {
    this.receipted.add(opId);
    this.notBefore.delete(opId);
    if (this.open.delete(opId)) this.markChanged();
  }

  /** A receipt that was read in a feed or taken aboard: true when it is of the present cloud. */
  recordReceipt(receipt: Receipt): boolean {
    if (receipt.stage !== 'cloud' || receipt.storeEpoch !== this.cloudEpoch) return false;
    this.receipted.add(receipt.opId);
    const item = this.open.get(receipt.opId);
    if (item !== undefined && !item.again) this.settle(receipt.opId);
    return true;
  }

  /** Looks at entries of the box's feed for receipts of the present cloud. */
  recordReceipts(entries: readonly ChangeEntry[]): void {
    for (const { receipt } of entries) if (receipt !== undefined) this.recordReceipt(receipt);
  }

  isDue(key: string | number): boolean {
    return (this.notBefore.get(key) ?? 0) <= this.#clock.elapsed();
  }

  markChanged(): void {
    this.#changed = true;
    this.version++;
  }

  /** Saves where something changed, unless it was just done: what is missing in the file is only done again. */
  async saveThrottled(): Promise<void> {
    if (this.#saving !== undefined || this.#clock.elapsed() < this.#restUntil) return;
    await this.save();
  }

  /** Saves now, where something changed. */
  async save(): Promise<void> {
    await this.#saving;
    const day = this.#budget.snapshot();
    if (
      !this.#changed &&
      day.usedBytes === this.#state.day.usedBytes &&
      Math.abs(day.ms - this.#state.day.ms) < DAY_SAVE_MS
    )
      return;
    this.#changed = false;
    this.#state.day = day;
    const from = this.#clock.elapsed();
    const work = this.#store.save({
      ...this.#state,
      open: [...this.open.values()],
      strayed: [...this.rejected.values()],
    });
    this.#saving = work.finally(() => {
      this.#saving = undefined;
      this.#restUntil = this.#clock.elapsed() + SAVE_REST_FACTOR * (this.#clock.elapsed() - from);
    });
    try {
      await this.#saving;
    } catch (error) {
      this.#changed = true;
      throw error;
    }
  }
}
