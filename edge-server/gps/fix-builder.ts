import type { GpsFix } from '../vessel/gps-source';
import type { Motion, Reading, ReceiverTime } from './reading';

const DAY_MS = 86_400_000;
/** Validity of a date for sentences without one, ms. */
const DATE_TTL_MS = 600_000;
/** Validity of a motion from its own sentence, ms. */
const MOTION_TTL_MS = 5_000;
/** Validity of a satellite count, ms: gpsd sends it every few seconds. */
const SATELLITES_TTL_MS = 15_000;
/**
 * Plausible distance from the latest known time. Beyond it the clock is wrong: a rolled-over week counter is 19.6 years
 * off.
 */
const BEHIND_MAX_MS = DAY_MS;
const AHEAD_MAX_MS = 5 * 365 * DAY_MS;
/**
 * Allowed drift from our clock between sentences (transit delays), and agreements needed before the time is trusted.
 */
const DRIFT_MAX_MS = 2_000;
const AGREEMENTS_MIN = 5;

export interface FixClocks {
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
  /** Latest time known to the box, ms since 1970. */
  readonly latestKnown: () => number;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
}

/**
 * Builds fixes from readings. Positions are always accepted, times only if plausible; otherwise the fix carries the
 * box's time.
 */
export class FixBuilder {
  readonly #clocks: FixClocks;
  readonly #source: string;
  readonly #mayTrustTime: boolean;
  /** Last time with a date, and its arrival. */
  #lastDated: { readonly ms: number; readonly at: number } | undefined;
  #agreements = 0;
  /** Latest known time when it last grew, for a wall clock that is behind it. */
  #latestKnown: { readonly ms: number; readonly at: number } | undefined;
  #motion: { readonly motion: Motion; readonly at: number } | undefined;
  #satellites: { readonly n: number; readonly at: number } | undefined;

  /** @param mayTrustTime false for datagrams, which anyone can send: a time years ahead would expire every sign-in */
  constructor(clocks: FixClocks, source: string, mayTeach = true) {
    this.#clocks = clocks;
    this.#source = source;
    this.#mayTrustTime = mayTeach;
  }

  build(reading: Reading): GpsFix | null {
    const at = this.#clocks.monotonic();
    switch (reading.kind) {
      case 'position': {
        const ms = this.#resolveTime(reading.time, at);
        if (Object.keys(reading.motion).length > 0) this.#motion = { motion: reading.motion, at };
        const motion = this.#motion !== undefined && at - this.#motion.at <= MOTION_TTL_MS ? this.#motion.motion : {};
        if (reading.satellites !== undefined) this.#satellites = { n: reading.satellites, at };
        const satellites =
          this.#satellites !== undefined && at - this.#satellites.at <= SATELLITES_TTL_MS
            ? { satellites: this.#satellites.n }
            : {};
        const time = ms ?? this.#boxTime(at);
        return {
          lat: reading.lat,
          lng: reading.lng,
          time: new Date(time).toISOString(),
          ...motion,
          ...satellites,
          source: this.#source,
          receivedAt: at,
          isTimeSure: this.#mayTrustTime && ms !== null && this.#agreements >= AGREEMENTS_MIN,
        };
      }
      case 'motion':
        this.#motion = { motion: reading.motion, at };
        return null;
      case 'time':
        this.#resolveTime(reading.time, at);
        return null;
      case 'satellites':
        this.#satellites = { n: reading.satellites, at };
        return null;
      default:
        return null;
    }
  }

  /** Wall clock, or the latest known time running on if that is ahead (no battery). */
  #boxTime(at: number): number {
    const [wall, known] = [this.#clocks.wall(), this.#clocks.latestKnown()];
    if (wall >= known) return wall;
    if (this.#latestKnown === undefined || known > this.#latestKnown.ms + (at - this.#latestKnown.at))
      this.#latestKnown = { ms: known, at };
    return Math.round(this.#latestKnown.ms + (at - this.#latestKnown.at));
  }

  /** Ms since 1970 if the receiver's time is complete and plausible. */
  #resolveTime({ timeOfDay, date }: ReceiverTime, at: number): number | null {
    if (timeOfDay === null) return null;
    const ms = date === null ? this.#resolveTimeOfDay(timeOfDay, at) : date + timeOfDay;
    if (ms === null || !this.#isPlausible(ms)) {
      if (date !== null) this.#lastDated = undefined;
      return null;
    }
    if (date !== null) this.#recordTime(ms, at);
    return ms;
  }

  /** Resolves a time of day to the date the last one predicts. */
  #resolveTimeOfDay(ofDay: number, at: number): number | null {
    if (this.#lastDated === undefined || at - this.#lastDated.at > DATE_TTL_MS) return null;
    const expected = this.#lastDated.ms + (at - this.#lastDated.at);
    const ms = ofDay + Math.round((expected - ofDay) / DAY_MS) * DAY_MS;
    return Math.abs(ms - expected) <= DATE_TTL_MS ? ms : null;
  }

  #isPlausible(ms: number): boolean {
    const known = this.#clocks.latestKnown();
    return ms >= known - BEHIND_MAX_MS && ms <= known + AHEAD_MAX_MS;
  }

  /** Trusts only a receiver whose time runs steadily: one that just started or is disturbed jumps. */
  #recordTime(ms: number, at: number): void {
    const before = this.#lastDated;
    if (before === undefined) this.#agreements = 0;
    else if (Math.abs(ms - before.ms - (at - before.at)) > DRIFT_MAX_MS) this.#agreements = 0;
    else if (ms > before.ms) this.#agreements += 1;
    this.#lastDated = { ms, at };
  }
}
