/** Faster is unreadable, px a second. */
const FAST_PX_PER_SECOND = 1200;
/** Pause between two movements, ms. */
const PAUSE_MS = 120;
/** More would hold up the next movement. */
const CALLS_PER_FRAME = 4;

/**
 * Scroll speed of the roll. Pictures that fly past are not loaded: each URL costs milliseconds, for a tile no one sees.
 */
export class ScrollSpeed {
  #last: { readonly at: number; readonly top: number } | null = null;
  #isFast = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame: number | undefined;
  readonly #waiting = new Set<() => void>();

  readonly #nextFrame: (call: () => void) => number;

  /** @param nextFrame as `requestAnimationFrame` */
  constructor(nextFrame: (call: () => void) => number) {
    this.#nextFrame = nextFrame;
  }

  get isScrollingFast(): boolean {
    return this.#isFast;
  }

  /** Time (ms, any origin) and distance from the top (px). */
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

  /** Calls back once the roll is slow, a few per frame. Returns a function that cancels. */
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

export const rollScrollSpeed = new ScrollSpeed((call) => requestAnimationFrame(call));
