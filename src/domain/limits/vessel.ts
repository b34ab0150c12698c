/** Thresholds of the box page. Ours: the specification has none. */
export const VESSEL_LIMITS = {
  /** Age from which a fix counts as old; receivers report every second. */
  fixStaleMs: 60_000,
  /** Dashed line of the disk gauge, 0..1. */
  diskWarnAt: 0.9,
  diskWarnDays: 3,
  /** Largest figure shown; beyond it the screen shows "more". */
  diskDaysShown: 365,
  /** Clock difference between tablet and box that is reported. */
  clockApartMs: 2 * 60_000,
  /** Earliest plausible tablet clock: before it certificates are not valid yet. */
  clockEarliest: Date.UTC(2026, 0, 1),
  clockLatest: Date.UTC(2060, 0, 1),
} as const;
