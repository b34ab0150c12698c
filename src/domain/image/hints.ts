import type { ImageId } from '../ids';
import type { Quality } from './quality';

/**
 * Advice for the photographer while the divers are still on site. Nothing is rejected for it; "Keep as it is" dismisses
 * it.
 */
export type PhotographHint =
  | { readonly kind: 'blurred' }
  | { readonly kind: 'too-dark' }
  | { readonly kind: 'too-bright' }
  | { readonly kind: 'only-water' }
  | { readonly kind: 'near-duplicate'; readonly of: ImageId };

/**
 * Limits beyond which a photograph gets a hint. Chosen on the real reef photographs next to the project and on degraded
 * copies of them (`src/imaging/quality/measure-quality.test.ts` prints the table): from 480 px on sharp ones measure 0.65 and more,
 * copies blurred by 2.5 px of 800 and more at most 0.36; the brightest 5 % of a sound photograph is above 140, of one at 15 % of its light below 40;
 * no sound one is clipped by more than a tenth, or has a tenth of water.
 */
export const HINT_LIMITS = {
  sharpnessMin: 0.42,
  /** 95th percentile of luma. */
  darkP95: 42,
  /** Clipped fraction at the bright end, and 5th percentile of luma. */
  brightClipped: 0.15,
  brightP5: 200,
  /** Fraction of open water. */
  waterMin: 0.9,
  /** Largest hash difference, bits of 64. */
  hashBits: 7,
  /** ms between near-duplicates; if the camera has no time, places apart in the order. */
  nearMs: 3 * 60_000,
  nearPlaces: 3,
  /** Standard deviation of luma below which a hash is noise. */
  hashContrastMin: 6,
} as const;

export interface HintInput {
  readonly id: ImageId;
  /** ms since 1970 by the camera's clock; null if unknown. */
  readonly takenMs: number | null;
  /** null if not measured: no preview, or added by an older app. */
  readonly quality: Quality | null;
  readonly keptAsIs: boolean;
}

/** Hints from a photograph's own figures. */
export function qualityHints(quality: Quality): PhotographHint[] {
  const { luma, clipped, sharpness, water } = quality;
  if (luma.p95 < HINT_LIMITS.darkP95) return [{ kind: 'too-dark' }];
  if (clipped.bright > HINT_LIMITS.brightClipped || luma.p5 > HINT_LIMITS.brightP5) return [{ kind: 'too-bright' }];
  // Water has no detail that could be sharp.
  if (water >= HINT_LIMITS.waterMin) return [{ kind: 'only-water' }];
  return sharpness !== undefined && sharpness < HINT_LIMITS.sharpnessMin ? [{ kind: 'blurred' }] : [];
}

/**
 * Hints of a survey's photographs; photographs without hints are omitted. A near-duplicate names the first of its
 * group.
 *
 * @param photographs of one survey, in its order
 */
export function hintsOf(photographs: readonly HintInput[]): ReadonlyMap<ImageId, readonly PhotographHint[]> {
  const hints = new Map<ImageId, readonly PhotographHint[]>();
  const hashes = photographs.map(({ quality }) =>
    quality === null || quality.contrast < HINT_LIMITS.hashContrastMin ? null : bitsOf(quality.dhash),
  );
  const twins = nearDuplicates(photographs, hashes);
  for (const { id, quality, keptAsIs } of photographs) {
    if (quality === null || keptAsIs) continue;
    const of = twins.get(id);
    const all: PhotographHint[] = [
      ...qualityHints(quality),
      ...(of === undefined ? [] : [{ kind: 'near-duplicate' as const, of }]),
    ];
    if (all.length > 0) hints.set(id, all);
  }
  return hints;
}

type Bits = readonly [number, number];

/** Maps each later near-duplicate to the first of its group. Compares only neighbours in time or order. */
function nearDuplicates(
  photographs: readonly HintInput[],
  hashes: readonly (Bits | null)[],
): ReadonlyMap<ImageId, ImageId> {
  const first = new Map<ImageId, ImageId>();
  const compare = (earlier: number, later: number): void => {
    const [a, b, one, two] = [hashes[earlier], hashes[later], photographs[earlier], photographs[later]];
    if (!a || !b || one === undefined || two === undefined || first.has(two.id)) return;
    if (distance(a, b) <= HINT_LIMITS.hashBits) first.set(two.id, first.get(one.id) ?? one.id);
  };
  const timed = photographs
    .flatMap(({ takenMs }, at) => (takenMs === null ? [] : [{ at, takenMs }]))
    .sort((a, b) => a.takenMs - b.takenMs || a.at - b.at);
  for (let later = 1, from = 0; later < timed.length; later++) {
    const two = timed[later];
    if (two === undefined) continue;
    while (two.takenMs - (timed[from]?.takenMs ?? 0) > HINT_LIMITS.nearMs) from++;
    for (let earlier = from; earlier < later; earlier++) compare(timed[earlier]?.at ?? -1, two.at);
  }
  for (let later = 1; later < photographs.length; later++) {
    for (let earlier = Math.max(0, later - HINT_LIMITS.nearPlaces); earlier < later; earlier++) {
      if (photographs[later]?.takenMs === null || photographs[earlier]?.takenMs === null) compare(earlier, later);
    }
  }
  return first;
}

function bitsOf(hash: string): Bits {
  return [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)];
}

function distance([a, b]: Bits, [c, d]: Bits): number {
  return popCount(a ^ c) + popCount(b ^ d);
}

/** Number of set bits in 32 (H. Warren, "Hacker's Delight", 5-1). */
function popCount(word: number): number {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
