export interface PaceReading {
  /** Photographs a second over the last 30 s; null until measurable. */
  readonly perSecond: number | null;
  /** Whole minutes left, rounded up; null until measurable. */
  readonly minutesLeft: number | null;
}

/** Steady estimate: rises only when work stays slower. */
interface PaceMeter {
  /** Drops earlier samples. Times in monotonic ms. */
  readonly restart: (at: number) => void;
  readonly addDone: (at: number) => void;
  readonly read: (at: number, left: number) => PaceReading;
}

const WINDOW_MS = 30_000;
/** Earlier estimates would jump about. */
const SPAN_MIN_MS = 2000;
const COUNT_MIN = 3;

/** "From the last 30 s, rounded up, never back and forth". */
export function createPaceMeter(): PaceMeter {
  let startedAt = 0;
  let times: number[] = [];
  let shown: number | null = null;
  /** Time since which the estimate exceeds the shown value. */
  let slowerSince: number | null = null;
  return {
    restart(at) {
      startedAt = at;
      times = [];
      shown = null;
      slowerSince = null;
    },
    addDone(at) {
      times.push(at);
      // Rarely, so that the cost per photograph is constant.
      if (times.length > 512 && (times[256] ?? at) < at - WINDOW_MS) times = times.slice(256);
    },
    read(at, left) {
      const from = Math.max(startedAt, at - WINDOW_MS);
      const span = at - from;
      let count = 0;
      for (let i = times.length - 1; i >= 0 && (times[i] ?? 0) >= from; i--) count++;
      if (span < SPAN_MIN_MS || count < COUNT_MIN) return { perSecond: null, minutesLeft: left === 0 ? null : shown };
      const perSecond = (1000 * count) / span;
      if (left === 0) return { perSecond, minutesLeft: null };
      const minutes = Math.max(1, Math.ceil(left / perSecond / 60));
      if (shown === null || minutes <= shown) {
        shown = minutes;
        slowerSince = null;
      } else {
        slowerSince ??= at;
        if (at - slowerSince >= WINDOW_MS) {
          shown = minutes;
          slowerSince = null;
        }
      }
      return { perSecond, minutesLeft: shown };
    },
  };
}

/** "About 2 min left"; "Less than a minute left" for the last one. */
export function formatMinutesLeft(minutes: number | null): string {
  if (minutes === null) return '';
  if (minutes <= 1) return 'Less than a minute left';
  return minutes < 90 ? `About ${minutes} min left` : `About ${Math.ceil(minutes / 60)} h left`;
}

/** "2.4 photographs a second". */
export function formatPace(perSecond: number | null): string {
  if (perSecond === null) return '';
  if (perSecond < 0.95) return `${Math.max(1, Math.round(perSecond * 60))} photographs a minute`;
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} photographs a second`;
}
