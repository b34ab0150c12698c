/** Above this the eye follows nothing: tiles fly past, px a second. */
const FAST_PX_PER_SECOND = 1200;
/** Scroll events farther apart than this belong to two movements, ms. */
const PAUSE_MS = 120;
/** Pictures that begin to be read in one frame once the roll is slow: all at once they would hold up the next movement. */
const CALLS_PER_FRAME = 4;

/**
 * How fast a roll passes by. Pictures of tiles that fly past are not read: making each one's address alone takes the page
 * several milliseconds, and it would be gone before anybody saw it.
 */
export class ScrollSpeed {
  #last: { readonly at: number; readonly top: number } | null = null;
  #isFast = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame: number | undefined;
  readonly #waiting = new Set<() => void>();

  readonly #nextFrame: (call: () => void) => number;

  /** @param nextFrame calls back when the page draws next, `requestAnimationFrame` */
  constructor(nextFrame: (call: () => void) => number) {
    this.#nextFrame = nextFrame;
  }

  /** Whether tiles fly past just now. */
  get isScrollingFast(): boolean {
    return this.#isFast;
  }

  /** Told at each scroll event: when (ms, any beginning) and how far from the top (px). */
  addScroll(at: number, top: number): void {
    const last = this.#last;
    this.#last = { at, top };
    const elapsed = last === null ? Number.POSITIVE_INFINITY : at - last.at;
    this.#isFast =
      last !== null &&
      elapsed > 0 &&
      elapsed < PAUSE_MS &&
      (Math.abs(top - last.top) / elapsed) * 1000 > FAST_PX_PER_SECOND;
    clearTimeout(this.#timer);
    if (this.#isFast) this.#timer = setTimeout(() => this.#settle(), PAUSE_MS);
    else this.#settle();
  }

  /** Calls back now, or once the roll is slow enough to be looked at, a few in each frame; gives the way to call it off. */
  whenSlow(call: () => void): () => void {
    if (!this.#isFast) {
      call();
      return () => undefined;
    }
    this.#waiting.add(call);
    return () => this.#waiting.delete(call);
  }

  #settle(): void {
    this.#isFast = false;
    if (this.#waiting.size > 0 && this.#frame === undefined) this.#frame = this.#nextFrame(() => this.#callWaiting());
  }

  #callWaiting(): void {
    this.#frame = undefined;
    // The roll may have taken off again: the others wait on.
    if (this.#isFast) return;
    let left = CALLS_PER_FRAME;
    for (const call of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(call);
      call();
    }
    this.#settle();
  }
}

/** The one roll that is on the screen. */
export const rollScrollSpeed = new ScrollSpeed((call) => requestAnimationFrame(call));
