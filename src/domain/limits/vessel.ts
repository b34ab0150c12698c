/** What the box's page calls old, low or enough. Our own figures: the specification names none. */
export const VESSEL_LIMITS = {
  /** A receiver tells each second; a fix older than this says where the vessel was. */
  fixStaleMs: 60_000,
  /** The dashed line on the disk's pole, 0..1. */
  diskWarnAt: 0.9,
  diskWarnDays: 3,
  /** Beyond it is only said that it is more. */
  diskDaysShown: 365,
  /** Clocks of tablet and box further apart than this are said. */
  clockApartMs: 2 * 60_000,
  /** A tablet's clock before this was never set: certificates are not valid yet for it. */
  clockEarliest: Date.UTC(2026, 0, 1),
  clockLatest: Date.UTC(2060, 0, 1),
} as const;
