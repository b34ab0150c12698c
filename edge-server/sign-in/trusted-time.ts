import type { BoxState } from '../store/box-state';

/** No box ran this code before: the least time that can be. */
const FLOOR_MS = Date.UTC(2026, 10, 1);
/** A commit's time further ahead of everything else known comes from a wrong clock, and is not believed. */
const PLAUSIBLE_LEAP_MS = 5 * 365 * 86_400_000;

const KEY_TRUSTED = 'time.trusted';
const KEY_COMMIT = 'time.commit';

/**
 * The greatest time the box has seen (protocol, Edge socket 1: GPS, cloud, last commit). Tokens expire against it and not
 * against the clock on the wall, which is years off on many boxes: set back, it would take tokens that expired long ago;
 * set ahead, it would refuse good ones. Times from GPS and cloud are believed; the box's own commits only as far as
 * they are plausible beside those.
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

  /** The greatest time seen, ms since 1970. */
  now(): number {
    return Math.max(FLOOR_MS, this.#trusted, this.#commit);
  }

  /** A time that GPS or the cloud gave. */
  trust(ms: number): void {
    if (!Number.isFinite(ms) || ms <= this.#trusted) return;
    this.#trusted = ms;
    this.#state.setSetting(KEY_TRUSTED, String(ms));
  }

  /** The clock's time at something that was just stored. Kept once a minute: it only needs to be roughly right. */
  commit(ms: number): void {
    if (!Number.isFinite(ms) || ms <= this.#commit || ms > Math.max(FLOOR_MS, this.#trusted) + PLAUSIBLE_LEAP_MS)
      return;
    this.#commit = ms;
    if (ms - this.#savedCommit < 60_000) return;
    this.#savedCommit = ms;
    this.#state.setSetting(KEY_COMMIT, String(ms));
  }
}
