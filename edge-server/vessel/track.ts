import { ReefError } from '../../src/domain/errors';
import type { EdgeTrack } from '../../src/protocol/edge-socket';
import { trackParamsSchema } from '../../src/protocol/edge-socket';
import { parseInput } from '../../src/server/http/parse';
import type { TrackPoint, VesselStore } from '../store/vessel-store';
import type { GpsFix } from './gps-source';
import { bearing, metresBetween, thinTrack } from './thin-track';

const DAY_MS = 86_400_000;

/** Conditions for storing a fix, relative to the last stored one. */
const STORE_RULE = {
  /** Minimum interval, ms. */
  leastMs: 2_000,
  /** Distance from which a fix is stored, metres: the largest error of interpolation. */
  metres: 25,
  /** Turn in degrees from which a fix is stored, after `turnMetres`. */
  degrees: 20,
  turnMetres: 10,
  /** Maximum interval, ms, at anchor too, so that "was here" and "was off" differ. */
  mostMs: 300_000,
} as const;

/** Speed that no vessel reaches, metres a second: a receiver error unless the next fix confirms it. */
const LEAP_SPEED = 60;

/** Retention: a year or two million fixes (some 60 MB), checked once per so many fixes. */
const KEEP_DAYS = 366;
const KEEP_FIXES = 2_000_000;
const TRIM_EVERY = 1_000;

/** Limits of an answer: fixes returned, and fixes weighed for them. */
const FIXES_MAX = 2_000;
const WEIGHED_MAX = 20_000;

/** Track of the vessel, thinned by distance, turn and time when stored, and again for an answer. */
export class Track {
  readonly #vessel: VesselStore;
  readonly #clock: () => number;
  #last: TrackPoint | undefined;
  #course: number | undefined;
  #lastLeap: TrackPoint | undefined;
  #stored = 0;

  /** @param clock ms since 1970, at least the trusted time */
  constructor(vessel: VesselStore, clock: () => number) {
    this.#vessel = vessel;
    this.#clock = clock;
    this.#last = vessel.lastFix();
  }

  get last(): TrackPoint | undefined {
    return this.#last;
  }

  /** Adds a fix if the rule requires it. */
  addFix(fix: Pick<GpsFix, 'lat' | 'lng' | 'time'>): void {
    const point = { at: Date.parse(fix.time), lat: fix.lat, lng: fix.lng };
    if (!Number.isFinite(point.at) || !this.#isSignificant(point) || this.#isLeap(point)) return;
    if (!this.#vessel.addFix(point)) return;
    this.#course = this.#last === undefined ? undefined : bearing(this.#last, point);
    this.#last = point;
    this.#stored += 1;
    if (this.#stored % TRIM_EVERY === 1) this.#trim(point.at);
  }

  /**
   * Track of a time span, at most 2000 fixes (protocol, Edge socket 8).
   *
   * @param params {@link trackParamsSchema}; by default the last day
   * @throws ReefError `bad-message`
   */
  read(params: unknown): EdgeTrack {
    const asked = parseInput(trackParamsSchema, params ?? {}, 'params');
    const to = asked.to === undefined ? this.#clock() : Date.parse(asked.to);
    const from = asked.from === undefined ? to - DAY_MS : Date.parse(asked.from);
    if (from > to) throw new ReefError('bad-message', { field: 'from', message: 'from is later than to.' });
    const every = Math.ceil(Math.max(1, this.#vessel.countFixes(from, to) / WEIGHED_MAX));
    return {
      fixes: thinTrack(this.#vessel.fixes(from, to, every), FIXES_MAX).map(({ at, lat, lng }) => ({
        time: new Date(at).toISOString(),
        lat,
        lng,
      })),
    };
  }

  /** A fix may be dated years ahead (a wrong epoch, anyone's datagram): the whole track would be too old. */
  #trim(at: number): void {
    this.#vessel.trimTrack(Math.min(at, this.#clock()) - KEEP_DAYS * DAY_MS, KEEP_FIXES);
  }

  #isLeap(point: TrackPoint): boolean {
    const [last, leapt] = [this.#last, this.#lastLeap];
    this.#lastLeap = undefined;
    if (
      last === undefined ||
      speed(last, point) <= LEAP_SPEED ||
      (leapt !== undefined && speed(leapt, point) <= LEAP_SPEED)
    )
      return false;
    this.#lastLeap = point;
    return true;
  }

  #isSignificant(point: TrackPoint): boolean {
    const last = this.#last;
    if (last === undefined) return true;
    const passed = point.at - last.at;
    // Time went back: the clock was set. A track that runs both ways in time is useless; it continues once time has
    // caught up, or at once if the last fix was far ahead and so wrong.
    if (passed < 0) return passed < -DAY_MS;
    if (passed < STORE_RULE.leastMs) return false;
    if (passed >= STORE_RULE.mostMs) return true;
    const metres = metresBetween(last, point);
    if (metres >= STORE_RULE.metres) return true;
    if (metres < STORE_RULE.turnMetres || this.#course === undefined) return false;
    const turn = Math.abs(((bearing(last, point) - this.#course + 540) % 360) - 180);
    return turn >= STORE_RULE.degrees;
  }
}

/** Metres a second between two fixes. */
function speed(from: TrackPoint, to: TrackPoint): number {
  return metresBetween(from, to) / (Math.max(1000, Math.abs(to.at - from.at)) / 1000);
}
