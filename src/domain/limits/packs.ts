/** Charts taken along on a tablet. Our own figures: the specification names none. */
export const PACK_LIMITS = {
  /** The largest archive a tablet takes along. */
  bytesMax: 256 * 1024 * 1024,
  /** Between two questions whether the box has another one. */
  recheckMs: 60 * 60 * 1000,
  /** Without a byte for so long the transfer is given up. */
  stallTimeoutMs: 30_000,
} as const;
