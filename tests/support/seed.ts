/** A seeded stream of numbers for fault tests: the seed is printed, and FAULT_SEED repeats a run. */
export interface Seeded {
  readonly seed: number;
  /** A fraction, 0 ≤ f < 1. */
  fraction(): number;
  /** A whole number, 0 ≤ n < limit. */
  below(limit: number): number;
  /** One of these. */
  pick<T>(from: readonly T[]): T;
  /** Bytes that repeat with the seed. */
  bytes(length: number): Buffer;
}

/** The seed of this run: FAULT_SEED where it is set, else a new one. */
export function runSeed(): number {
  const given = process.env['FAULT_SEED'];
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}

/** Mulberry32: small, good enough to spread faults, and the same everywhere. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const fraction = (): number => word() / 2 ** 32;
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    seed,
    fraction,
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    bytes: (length) => {
      const out = Buffer.alloc(length);
      let at = 0;
      for (; at + 4 <= length; at += 4) out.writeUInt32LE(word(), at);
      for (; at < length; at += 1) out[at] = word() & 255;
      return out;
    },
  };
}
