/** Measuring window, ms: older bytes say nothing about now; a chunk is sized to arrive within a few seconds. */
const WINDOW_MS = 15_000;

/** Receive rate over the last quarter of a minute. Times are ms of a monotonic clock. */
export class RateMeter {
  #marks: { readonly at: number; readonly bytes: number }[] = [];

  add(bytes: number, now: number): void {
    this.#drop(now);
    this.#marks.push({ at: now, bytes });
  }

  /** Bytes a second; null while none come, and for the first chunk, whose start is unknown. */
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
