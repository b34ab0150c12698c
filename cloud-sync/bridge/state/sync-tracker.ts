import type { Receipt } from '../../../src/protocol/receipt';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { DayBudget } from './budget';
import type { BridgeClock } from '../runtime';
import type { BridgeState, BridgeStateStore, OpenItem, RejectedEntry } from './bridge-state';

/** Pause between saves, as a multiple of the last save's duration. */
const SAVE_REST_FACTOR = 10;
/** Part of the budget's day that may pass unsaved while nothing is sent, ms. */
const DAY_SAVE_MS = 10 * 60_000;

/**
 * Sync state: two cursors, the open items behind them, and the operations receipted in the current cloud epoch. Memory
 * may be ahead of the file, never behind: an older file only causes a repetition.
 */
export class SyncTracker {
  readonly #store: BridgeStateStore;
  readonly #clock: BridgeClock;
  readonly #state: BridgeState;
  readonly #budget: DayBudget;
  readonly open: Map<string, OpenItem>;
  /** By seq in the cloud's feed. */
  readonly rejected: Map<number, RejectedEntry>;
  /** Operations with a receipt of the current cloud epoch, seen since start. */
  readonly receipted = new Set<string>();
  /** Earliest retry by opId or seq, ms of the monotonic clock; a restart retries at once. */
  readonly notBefore = new Map<string | number, number>();
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

  /** Moves the box cursor: everything up to it is receipted or in `open`. */
  advanceEdgeCursor(seq: number): void {
    this.#state.edge.cursor = seq;
    this.markChanged();
  }

  /** Moves the cloud cursor: everything up to it is on the box or in `rejected`. */
  advanceCloudCursor(seq: number): void {
    this.#state.cloud.cursor = seq;
    this.markChanged();
  }

  /** Stores a node's epoch and reports the change. A new epoch resets cursors and items. */
  updateEpoch(side: 'edge' | 'cloud', epoch: string): 'same' | 'first' | 'changed' {
    const before = this.#state[side].epoch;
    if (before === epoch) return 'same';
    const changed = before !== null;
    this.#state[side].epoch = epoch;
    // Another box has a new feed and nothing of the cloud's; another cloud has receipted nothing.
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

  addOpen(item: OpenItem): void {
    this.open.set(item.opId, item);
    this.markChanged();
  }

  /** Closes an item: the cloud's receipt is on the box. */
  settle(opId: string): void {
    this.receipted.add(opId);
    this.notBefore.delete(opId);
    if (this.open.delete(opId)) this.markChanged();
  }

  /** Records a receipt; true if it is of the current cloud epoch. */
  recordReceipt(receipt: Receipt): boolean {
    if (receipt.stage !== 'cloud' || receipt.storeEpoch !== this.cloudEpoch) return false;
    this.receipted.add(receipt.opId);
    const item = this.open.get(receipt.opId);
    if (item !== undefined && !item.again) this.settle(receipt.opId);
    return true;
  }

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

  /** Saves changes unless a save just ran: what is missing in the file is only repeated. */
  async saveThrottled(): Promise<void> {
    if (this.#saving !== undefined || this.#clock.elapsed() < this.#restUntil) return;
    await this.save();
  }

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
