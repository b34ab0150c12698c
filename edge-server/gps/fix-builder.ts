import type { GpsFix } from '../vessel/gps-source';
import type { Motion, Reading, ReceiverTime } from './reading';

const DAY_MS = 86_400_000;
/** A date holds for sentences without one for so long (ms). */
const DATE_TTL_MS = 600_000;
/** So does the motion of a sentence of its own. */
const MOTION_TTL_MS = 5_000;
/** And the count of satellites: gpsd tells it every few seconds. */
const SATELLITES_TTL_MS = 15_000;
/** A receiver may be this far behind the greatest time known, and that far ahead: more is a wrong clock (a week counter that rolled over is 19.6 years off). */
const BEHIND_MAX_MS = DAY_MS;
const AHEAD_MAX_MS = 5 * 365 * DAY_MS;
/** How far a receiver's clock may stray from ours between two sentences (delays on the way), and how often it must agree before the box learns the time from it. */
const DRIFT_MAX_MS = 2_000;
const AGREEMENTS_MIN = 5;

/** The clocks that a fix is weighed against. */
export interface FixClocks {
  /** The clock on the wall, ms since 1970. */
  readonly wall: () => number;
  /** The greatest time that the box knows, ms since 1970. */
  readonly latestKnown: () => number;
  /** Ms of a clock that never jumps. */
  readonly monotonic: () => number;
}

/**
 * Makes fixes of readings. The place is taken from every receiver that says it has one; the time only where it can be right:
 * else the fix bears the box's own.
 */
export class FixBuilder {
  readonly #clocks: FixClocks;
  readonly #source: string;
  readonly #mayTrustTime: boolean;
  /** The last time with a date, and when it came. */
  #lastDated: { readonly ms: number; readonly at: number } | undefined;
  #agreements = 0;
  /** The greatest time known when it last grew, for a box whose clock on the wall is behind it. */
  #latestKnown: { readonly ms: number; readonly at: number } | undefined;
  #motion: { readonly motion: Motion; readonly at: number } | undefined;
  #satellites: { readonly n: number; readonly at: number } | undefined;

  /**
   * @param mayTeach whether the box may learn the time from it: not from datagrams, which anyone on the network can send. A
   *   place that is wrong passes; a time that is years ahead would let every sign-in expire.
   */
  constructor(clocks: FixClocks, source: string, mayTeach = true) {
    this.#clocks = clocks;
    this.#source = source;
    this.#mayTrustTime = mayTeach;
  }

  /** The fix that this reading makes, or null. */
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

  /** The clock on the wall, unless it is behind what the box knows (no battery, say): then that, running on from when it was learnt. */
  #boxTime(at: number): number {
    const [wall, known] = [this.#clocks.wall(), this.#clocks.latestKnown()];
    if (wall >= known) return wall;
    if (this.#latestKnown === undefined || known > this.#latestKnown.ms + (at - this.#latestKnown.at))
      this.#latestKnown = { ms: known, at };
    return Math.round(this.#latestKnown.ms + (at - this.#latestKnown.at));
  }

  /** Ms since 1970 where the receiver's time is whole and can be right. */
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

  /** A time of day on the day that comes nearest to what the last date leads to. */
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

  /** A receiver that just started, or is disturbed, gives times that leap: the box learns the time only from one that runs as clocks do. */
  #recordTime(ms: number, at: number): void {
    const before = this.#lastDated;
    if (before === undefined) this.#agreements = 0;
    else if (Math.abs(ms - before.ms - (at - before.at)) > DRIFT_MAX_MS) this.#agreements = 0;
    else if (ms > before.ms) this.#agreements += 1;
    this.#lastDated = { ms, at };
  }
}
