import type { VesselStore } from '../store/vessel-store';

const DAY_MS = 86_400_000;
/** Days averaged; older use does not predict the days to come. */
const DAYS_AVERAGED = 7;
/** Write interval, ms: a killed process loses the count of a few seconds. */
const FLUSH_MS = 10_000;

/**
 * Bytes of photographs by day, and the days left. Days follow the trusted time, which never goes back, whatever the
 * wall clock does.
 */
export class DiskUse {
  readonly #vessel: VesselStore;
  readonly #now: () => number;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now trusted time, ms since 1970 */
  constructor(vessel: VesselStore, now: () => number) {
    this.#vessel = vessel;
    this.#now = now;
  }

  addReceived(bytes: number): void {
    this.#waiting += bytes;
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  /**
   * Days until so many bytes are used up, at the mean of the last week (or since the first photograph); null with less
   * than a day of data, or while nothing arrives.
   */
  daysFor(bytes: number): number | null {
    this.#flush();
    const today = Math.floor(this.#now() / DAY_MS);
    const days = this.#vessel
      .receivedSince(dayName(today - DAYS_AVERAGED + 1))
      .filter(({ day }) => day <= dayName(today));
    const first = days[0];
    if (first === undefined) return null;
    const span = today - Math.floor(Date.parse(`${first.day}T00:00:00Z`) / DAY_MS) + 1;
    const total = days.reduce((sum, day) => sum + day.bytes, 0);
    if (span < 2 || total === 0) return null;
    return Math.max(0, bytes) / (total / span);
  }

  close(): void {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === 0) return;
    this.#vessel.addReceived(dayName(Math.floor(this.#now() / DAY_MS)), this.#waiting);
    this.#waiting = 0;
  }
}

function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
