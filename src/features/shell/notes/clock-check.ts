import { RELEASE_DATE } from '../version';

const DAY_MS = 24 * 3_600_000;
/** No tablet keeps one version for so long. */
const LONGEST_USE_MS = 15 * 365 * DAY_MS;

/** How a clock can be known to be wrong. */
export type ClockFault = 'behind' | 'ahead';

/**
 * Whether this tablet's clock is years off, as far as the app knows by itself: before it was made, or long after. Against a
 * wrong clock no certificate of a box holds, and surveys get a wrong day.
 *
 * @param nowMs what the clock says, ms since the epoch
 */
export function clockFault(nowMs: number): ClockFault | null {
  const made = Date.parse(RELEASE_DATE);
  if (nowMs < made - 2 * DAY_MS) return 'behind';
  return nowMs > made + LONGEST_USE_MS ? 'ahead' : null;
}
