/** Above this the eye follows nothing: tiles fly past, px a second. */
const FAST = 1200;
/** Scroll events farther apart than this belong to two movements, ms. */
const PAUSE_MS = 120;

/**
 * How fast a roll passes by. Pictures of tiles that fly past are not read: making each one's address alone takes the page
 * several milliseconds, and it would be gone before anybody saw it.
 */
export class Pass {
  private last: { readonly at: number; readonly top: number } | null = null;
  private isFast = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new Set<() => void>();

  /** Told at each scroll event: when (ms, any beginning) and how far from the top (px). */
  scrolled(at: number, top: number): void {
    const { last } = this;
    this.last = { at, top };
    const elapsed = last === null ? Number.POSITIVE_INFINITY : at - last.at;
    this.isFast = last !== null && elapsed > 0 && elapsed < PAUSE_MS && (Math.abs(top - last.top) / elapsed) * 1000 > FAST;
    clearTimeout(this.timer);
    if (this.isFast) this.timer = setTimeout(() => this.settle(), PAUSE_MS);
    else this.settle();
  }

  /** Calls back now, or once the roll is slow enough to be looked at; gives the way to call it off. */
  whenSlow(call: () => void): () => void {
    if (!this.isFast) {
      call();
      return () => undefined;
    }
    this.waiting.add(call);
    return () => this.waiting.delete(call);
  }

  private settle(): void {
    this.isFast = false;
    const calls = [...this.waiting];
    this.waiting.clear();
    for (const call of calls) call();
  }
}

/** The one roll that is on the screen. */
export const pass = new Pass();
