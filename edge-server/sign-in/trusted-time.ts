import type { BoxState } from '../store/box-state';

/** Earliest possible time: no box ran this code before. */
const FLOOR_MS = Date.UTC(2026, 10, 1);
/** Largest plausible jump of a commit's time; a larger one comes from a wrong clock. */
const PLAUSIBLE_LEAP_MS = 5 * 365 * 86_400_000;

const KEY_TRUSTED = 'time.trusted';
const KEY_COMMIT = 'time.commit';

/**
 * Latest time the box has seen (protocol, Edge socket 1: GPS, cloud, last commit). Tokens expire by it, not by the wall
 * clock, which is years off on many boxes. Times of GPS and cloud are trusted; the box's own commits only near those.
 */
export class TrustedTime {
  readonly #state: BoxState;
  #trusted: number;
  #commit: number;
  #savedCommit: number;

  constructor(state: BoxState) {
    this.#state = state;
    this.#trusted = Number(state.setting(KEY_TRUSTED) ?? FLOOR_MS);
    this.#commit = Number(state.setting(KEY_COMMIT) ?? FLOOR_MS);
    this.#savedCommit = this.#commit;
  }

  now(): number {
    return Math.max(FLOOR_MS, this.#trusted, this.#commit);
  }

  /** Latest plausible time if the box's clock shows `ms`; records nothing. */
  at(ms: number): number {
    return this.#isPlausible(ms) ? Math.max(this.now(), ms) : this.now();
  }

  trust(ms: number): void {
    if (!Number.isFinite(ms) || ms <= this.#trusted) return;
    this.#trusted = ms;
    this.#state.setSetting(KEY_TRUSTED, String(ms));
  }

  /** Records the clock's time of a stored operation. Saved once a minute: it need only be roughly right. */
  commit(ms: number): void {
    if (ms <= this.#commit || !this.#isPlausible(ms)) return;
    this.#commit = ms;
    if (ms - this.#savedCommit < 60_000) return;
    this.#savedCommit = ms;
    this.#state.setSetting(KEY_COMMIT, String(ms));
  }

  #isPlausible(ms: number): boolean {
    return Number.isFinite(ms) && ms <= Math.max(FLOOR_MS, this.#trusted) + PLAUSIBLE_LEAP_MS;
  }
}
