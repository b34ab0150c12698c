/** Bytes that came longer ago say nothing of now (ms); a chunk is sized to land within a few seconds. */
const WINDOW_MS = 15_000;

/** How fast bytes come, over the last quarter of a minute. Times are ms of a clock that never jumps. */
export class RateMeter {
  #marks: { readonly at: number; readonly bytes: number }[] = [];

  add(bytes: number, now: number): void {
    this.#drop(now);
    this.#marks.push({ at: now, bytes });
  }

  /** Bytes a second; null while none come, and for the first chunk, of which nobody knows when it began. */
  rate(now: number): number | null {
    this.#drop(now);
    const [first, ...rest] = this.#marks;
    if (first === undefined || rest.length === 0) return null;
    const bytes = rest.reduce((sum, mark) => sum + mark.bytes, 0);
    return bytes / (Math.max(now - first.at, 250) / 1000);
  }

  #drop(now: number): void {
    this.#marks = this.#marks.filter(({ at }) => now - at <= WINDOW_MS);
  }
}
