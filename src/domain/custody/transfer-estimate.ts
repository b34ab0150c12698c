/** Over how long the rate is taken, ms (screens: "from the last 30 s"). */
export const RATE_WINDOW_MS = 30_000;
/** Below this much time no rate is told: the first chunk says little. */
const RATE_MIN_SPAN_MS = 1500;
/** How long a longer time has to stand before it is shown, ms: one slow chunk changes no minute. */
const SHOW_LONGER_AFTER_MS = 20_000;

/** Bytes that landed, and when (ms by a clock that is never set). */
export interface TransferSample {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Bytes per second over the last 30 s; null where nothing is known yet.
 *
 * @param samples in order of time
 * @param since when sending began, or went on after a pause
 */
export function transferRate(samples: readonly TransferSample[], since: number, now: number): number | null {
  const from = Math.max(since, now - RATE_WINDOW_MS);
  const span = now - from;
  if (span < RATE_MIN_SPAN_MS) return null;
  const bytes = samples.reduce((sum, { at, bytes: some }) => (at > from ? sum + some : sum), 0);
  return bytes === 0 ? null : (bytes * 1000) / span;
}

/** What is shown of the time left, and what speaks for showing more. */
export interface ShownTimeLeft {
  /** Whole minutes, rounded up; 0: less than a minute. */
  readonly minutes: number;
  /** Since when the true time has been longer than what is shown; null while it is not. */
  readonly longerSince: number | null;
}

/**
 * The time left as it is shown: rounded up, it gets shorter at once, and longer only once it was longer for 20 s, so that
 * it never goes back and forth (screens, "States").
 *
 * @param leftMs the time left by the rate of now, ms
 */
export function nextTimeLeft(shown: ShownTimeLeft | null, leftMs: number, now: number): ShownTimeLeft {
  const minutes = leftMs < 60_000 ? 0 : Math.ceil(leftMs / 60_000);
  if (shown === null || minutes <= shown.minutes) return { minutes, longerSince: null };
  // Less than half a minute over what is shown is no news.
  if (leftMs < shown.minutes * 60_000 + 30_000 && shown.minutes > 0) return { ...shown, longerSince: null };
  const longerSince = shown.longerSince ?? now;
  return now - longerSince >= SHOW_LONGER_AFTER_MS ? { minutes, longerSince: null } : { ...shown, longerSince };
}
