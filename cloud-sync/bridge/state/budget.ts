import type { BridgeClock, BridgeTimers } from '../runtime';
import { BUDGET_DAY_MS } from '../limits';
import type { BridgeState } from './bridge-state';

/** A gap in the cloud's time from which the bridge is taken to have been off, ms. */
const OFFLINE_GAP_MS = 60_000;

/**
 * The daily budget. A day is 24 hours of time that passed, not of the clock on the wall: while the bridge runs, as its
 * monotonic clock counts; while it was off, as the cloud's clock says, which it hears at each greeting. So a clock that
 * jumps aboard neither gives a new day nor holds back the next.
 */
export class DayBudget {
  readonly #clock: BridgeClock;
  readonly #daily: number | null;
  #used: number;
  /** Ms of the present day that have passed at `#at`. */
  #ms: number;
  #at: number;
  /** The cloud's time at `#at`, as last heard and carried on. */
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

  /** Bytes that may still go in the present day; Infinity without a budget. */
  remainingBytes(): number {
    this.#advance();
    return this.#daily === null ? Infinity : Math.max(0, this.#daily - this.#used);
  }

  /** Ms until the next day begins. */
  msUntilNextDay(): number {
    this.#advance();
    return BUDGET_DAY_MS - this.#ms;
  }

  /** @param bytes below zero gives back what was taken and did not go */
  spend(bytes: number): void {
    this.#advance();
    this.#used = Math.max(0, this.#used + bytes);
  }

  /** The cloud told its time: what is well above what was counted here passed while the bridge was off. */
  syncCloudTime(cloudTime: number): void {
    this.#advance();
    const gap = this.#cloudTime === null ? 0 : cloudTime - this.#cloudTime;
    // An answer takes its time on the way: less than this says nothing.
    if (this.#cloudTime !== null && Math.abs(gap) < OFFLINE_GAP_MS) return;
    this.#cloudTime = cloudTime;
    if (gap > 0) this.#addElapsed(gap);
  }

  /** What to keep over a restart. */
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

/** A bandwidth cap: a bucket that fills with the rate and holds a quarter of a second of it. */
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

  /** The largest piece that passes in one go, bytes. */
  get pieceBytes(): number {
    return this.#rate === null ? Infinity : Math.max(512, Math.floor(this.#rate / 8));
  }

  /** Waits until so many bytes may go. They are taken before the wait, so that several who wait are served in turn. */
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
