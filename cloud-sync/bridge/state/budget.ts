import type { BridgeClock, BridgeTimers } from '../runtime';
import { BUDGET_DAY_MS } from '../limits';
import type { BridgeState } from './bridge-state';

/** Gap in the cloud's time that means the bridge was off, ms. */
const OFFLINE_GAP_MS = 60_000;

/**
 * Daily byte budget. A day is 24 hours of elapsed time: by the monotonic clock while running, by the cloud's clock
 * across downtime. A wall clock that jumps neither starts a new day nor delays the next.
 */
export class DayBudget {
  readonly #clock: BridgeClock;
  readonly #daily: number | null;
  #used: number;
  /** Ms of the current day elapsed at `#at`. */
  #ms: number;
  #at: number;
  /** The cloud's time at `#at`, extrapolated from the last answer. */
  #cloudTime: number | null;

  /** @param daily bytes of 24 hours; null: no limit */
  constructor(clock: BridgeClock, daily: number | null, kept: BridgeState['day']) {
    this.#clock = clock;
    this.#daily = daily;
    this.#used = kept.usedBytes;
    this.#ms = kept.ms;
    this.#cloudTime = kept.cloudTime;
    this.#at = clock.elapsed();
  }

  get daily(): number | null {
    return this.#daily;
  }

  get used(): number {
    this.#advance();
    return this.#used;
  }

  remainingBytes(): number {
    this.#advance();
    return this.#daily === null ? Infinity : Math.max(0, this.#daily - this.#used);
  }

  msUntilNextDay(): number {
    this.#advance();
    return BUDGET_DAY_MS - this.#ms;
  }

  /** @param bytes below zero returns reserved bytes that were not sent */
  spend(bytes: number): void {
    this.#advance();
    this.#used = Math.max(0, this.#used + bytes);
  }

  /** Syncs with the cloud's time: a gap means that the bridge was off. */
  syncCloudTime(cloudTime: number): void {
    this.#advance();
    const gap = this.#cloudTime === null ? 0 : cloudTime - this.#cloudTime;
    // A smaller gap may be the latency of the answer.
    if (this.#cloudTime !== null && Math.abs(gap) < OFFLINE_GAP_MS) return;
    this.#cloudTime = cloudTime;
    if (gap > 0) this.#addElapsed(gap);
  }

  snapshot(): BridgeState['day'] {
    this.#advance();
    return { usedBytes: this.#used, ms: this.#ms, cloudTime: this.#cloudTime };
  }

  #advance(): void {
    const now = this.#clock.elapsed();
    const passed = Math.max(0, now - this.#at);
    this.#at = now;
    if (this.#cloudTime !== null) this.#cloudTime += passed;
    this.#addElapsed(passed);
  }

  #addElapsed(ms: number): void {
    this.#ms += ms;
    if (this.#ms < BUDGET_DAY_MS) return;
    this.#ms %= BUDGET_DAY_MS;
    this.#used = 0;
  }
}

/** Bandwidth cap: a token bucket that holds a quarter of a second. */
export class RateCap {
  readonly #clock: BridgeClock;
  readonly #timers: BridgeTimers;
  readonly #rate: number | null;
  #level: number;
  #at: number;

  /** @param rate bytes a second; null: no cap */
  constructor(clock: BridgeClock, timers: BridgeTimers, rate: number | null) {
    this.#clock = clock;
    this.#timers = timers;
    this.#rate = rate;
    this.#level = 0;
    this.#at = clock.elapsed();
  }

  /** Largest piece that passes at once, bytes. */
  get pieceBytes(): number {
    return this.#rate === null ? Infinity : Math.max(512, Math.floor(this.#rate / 8));
  }

  /** Waits until so many bytes may go. Deducts them first, so that waiters are served in turn. */
  async acquire(bytes: number, signal?: AbortSignal): Promise<void> {
    const rate = this.#rate;
    if (rate === null) return;
    const now = this.#clock.elapsed();
    this.#level = Math.min(rate / 4, this.#level + ((now - this.#at) / 1000) * rate);
    this.#at = now;
    this.#level -= bytes;
    if (this.#level < 0) await this.#timers.sleep((-this.#level / rate) * 1000, signal);
  }
}
