import { RELEASE_DATE } from '../version';

const DAY_MS = 24 * 3_600_000;
/** Upper bound on the use of one version. */
const LONGEST_USE_MS = 15 * 365 * DAY_MS;

/** Detectable error of a clock. */
export type ClockFault = 'behind' | 'ahead';

/**
 * Detects a clock that is years off, with which no certificate of a box is valid and surveys get a wrong day.
 * @param nowMs clock reading, ms since the epoch
 */
export function clockFault(nowMs: number): ClockFault | null {
  const made = Date.parse(RELEASE_DATE);
  if (nowMs < made - 2 * DAY_MS) return 'behind';
  return nowMs > made + LONGEST_USE_MS ? 'ahead' : null;
}
