/** Limits of downloaded charts. Ours: the specification has none. */
export const PACK_LIMITS = {
  /** Largest archive that a tablet downloads. */
  bytesMax: 256 * 1024 * 1024,
  /** Interval between update checks. */
  recheckMs: 60 * 60 * 1000,
  /** Time without a byte after which a download is cancelled. */
  stallTimeoutMs: 30_000,
} as const;
