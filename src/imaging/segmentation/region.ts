import { contours, ringArea } from '../contours';
import { simplify } from '../simplify';
import type { Flood } from './flood';
import { LEVEL_MAX } from './flood';
import { boxBlurred } from './opponent';

/** Where the level of an area is looked for: below, a colony falls apart into its specks; above, it runs into what is beside it. */
const LEVEL_FROM = 75;
const LEVEL_TO = 130;
/** So many levels on, an area that grew by more than this has run over its edge. */
const AHEAD = 8;
const RAN_OVER = 1.5;

/**
 * The level at which the area around the place of a flood ends: the first one above which it would run over into what is beside it.
 * A person can go to any other.
 */
export function chooseLevel({ areas }: Flood): number {
  for (let level = LEVEL_FROM; level + AHEAD <= LEVEL_TO; level++)
    if ((areas[level + AHEAD] ?? 0) > (areas[level] ?? 0) * RAN_OVER) return level;
  return LEVEL_TO;
}

/** A smaller area, or hole in it, is a speck: px of a picture 800 wide. */
const SPECK = 24;
/** px to each side, twice: takes the frays off an outline. */
const EVENED_BY = 2;
/** A pixel belongs to an area where so much of what is around it does: less than half, as the smoothing that areas are found by takes a rim off them. */
const SHARE = 0.3;
/** px that an outline may leave the edges of its pixels by: these are steps, and what they follow is not. */
const STEP_TOLERANCE = 0.75;

/** An area by its outlines, those of holes among them (even-odd). */
export interface FoundRegion {
  /** x and y by turns, px; they close by themselves. */
  readonly rings: readonly Float64Array[];
  /** Part of the picture, 0 to 1. */
  readonly part: number;
}

/** The area of a flood at a level, its outline evened; no rings where nothing is left of it. @param level 0 to LEVEL_MAX */
export function regionAt({ width, height, levels }: Flood, level: number): FoundRegion {
  const at = Math.min(LEVEL_MAX, Math.max(0, Math.round(level)));
  const joined = new Float32Array(levels.length);
  for (let index = 0; index < joined.length; index++) joined[index] = (levels[index] ?? 0) <= at ? 1 : 0;
  const even = boxBlurred(boxBlurred(joined, width, height, EVENED_BY), width, height, EVENED_BY);
  const mask = new Uint8Array(levels.length);
  for (let index = 0; index < mask.length; index++) mask[index] = (even[index] ?? 0) >= SHARE ? 1 : 0;
  const rings: Float64Array[] = [];
  let area = 0;
  for (const ring of contours(mask, width, height, 1)) {
    const held = ringArea(ring);
    if (Math.abs(held) < SPECK) continue;
    area += held;
    rings.push(withoutClosingPoint(simplify([...ring, ring[0] ?? 0, ring[1] ?? 0], STEP_TOLERANCE)));
  }
  return { rings, part: area / (width * height) };
}

/** Without the last point, which is the first one. */
const withoutClosingPoint = (ring: Float64Array): Float64Array => ring.slice(0, -2);
