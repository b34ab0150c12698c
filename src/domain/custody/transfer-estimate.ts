/** Window of the rate, ms (screens: "from the last 30 s"). */
export const RATE_WINDOW_MS = 30_000;
/** Shortest span for a rate, ms: the first chunk alone is not representative. */
const RATE_MIN_SPAN_MS = 1500;
/** Delay before a longer time is shown, ms, so that one slow chunk changes nothing. */
const SHOW_LONGER_AFTER_MS = 20_000;

/** Bytes received at a time (ms, monotonic clock). */
export interface TransferSample {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Transfer rate over the last 30 s, bytes per second; null if unknown.
 *
 * @param samples in time order
 * @param since start of sending, or of resuming after a pause
 */
export function transferRate(samples: readonly TransferSample[], since: number, now: number): number | null {
  const from = Math.max(since, now - RATE_WINDOW_MS);
  const span = now - from;
  if (span < RATE_MIN_SPAN_MS) return null;
  const bytes = samples.reduce((sum, { at, bytes: some }) => (at > from ? sum + some : sum), 0);
  return bytes === 0 ? null : (bytes * 1000) / span;
}

export interface ShownTimeLeft {
  /** Whole minutes, rounded up; 0: less than a minute. */
  readonly minutes: number;
  /** Time since when the true time is longer than shown; null if it is not. */
  readonly longerSince: number | null;
}

/**
 * Next time left to show. Decreases at once; increases only after 20 s, so that it does not jump back and forth
 * (screens, "States").
 *
 * @param leftMs time left at the current rate, ms
 */
export function nextTimeLeft(shown: ShownTimeLeft | null, leftMs: number, now: number): ShownTimeLeft {
  const minutes = leftMs < 60_000 ? 0 : Math.ceil(leftMs / 60_000);
  if (shown === null || minutes <= shown.minutes) return { minutes, longerSince: null };
  // Ignores less than half a minute over the shown time.
  if (leftMs < shown.minutes * 60_000 + 30_000 && shown.minutes > 0) return { ...shown, longerSince: null };
  const longerSince = shown.longerSince ?? now;
  return now - longerSince >= SHOW_LONGER_AFTER_MS ? { minutes, longerSince: null } : { ...shown, longerSince };
}
