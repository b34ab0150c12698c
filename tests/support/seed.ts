import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Seeded random stream for fault tests: the seed is printed, and FAULT_SEED repeats a run. */
export interface Seeded {
  readonly seed: number;
  /** Fraction, 0 ≤ f < 1. */
  fraction(): number;
  /** Whole number, 0 ≤ n < limit. */
  below(limit: number): number;
  /** Picks one of these. */
  pick<T>(from: readonly T[]): T;
  /** Bytes that repeat with the seed. */
  bytes(length: number): Buffer;
}

/** Seed of this run: FAULT_SEED if it is set, else one that follows from the commit, so that each commit plays other cases. */
export function runSeed(): number {
  const given = process.env['FAULT_SEED'];
  return given === undefined ? seedOfCommit(commit()) : seedNamed(given);
}

/** @throws RangeError for a text that is not a whole number of 31 bits */
export function seedNamed(text: string): number {
  const seed = Number(text);
  if (text.trim() === '' || !Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31)
    throw new RangeError(`FAULT_SEED is a whole number below 2,147,483,648, not "${text}".`);
  return seed;
}

/** Seed of a commit's hash; a random one outside a repository. */
export function seedOfCommit(hash: string | undefined): number {
  if (hash === undefined) return Math.floor(Math.random() * 2 ** 31);
  return createHash('sha256').update(hash).digest().readUInt32LE(0) >>> 1;
}

/** Hash of the checked-out commit; undefined outside a repository. */
function commit(): string | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', 'HEAD'], {
    cwd: path.dirname(fileURLToPath(import.meta.url)),
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
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
