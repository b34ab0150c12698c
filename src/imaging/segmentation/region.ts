import { contours, ringArea } from '../contours';
import { simplify } from '../simplify';
import type { Flood } from './flood';
import { LEVEL_MAX } from './flood';
import { boxBlurred } from './opponent';

/** Range of levels searched: below it a colony falls apart into specks, above it runs into its surroundings. */
const LEVEL_FROM = 75;
const LEVEL_TO = 130;
/** Levels to look ahead, and the growth over them that means the region ran over its edge. */
const AHEAD = 8;
const RAN_OVER = 1.5;

/**
 * Level at which the region around the place ends: the first one above which it would spill into its surroundings. The
 * user can pick any other.
 */
export function chooseLevel({ areas }: Flood): number {
  for (let level = LEVEL_FROM; level + AHEAD <= LEVEL_TO; level++)
    if ((areas[level + AHEAD] ?? 0) > (areas[level] ?? 0) * RAN_OVER) return level;
  return LEVEL_TO;
}

/** Smallest region or hole, px of a picture 800 wide; below it is a speck. */
const SPECK = 24;
/** Smoothing of an outline, px to each side, applied twice. */
const EVENED_BY = 2;
/**
 * Share of neighbours from which a pixel belongs to a region: below half, since smoothing the features shrinks regions.
 */
const SHARE = 0.3;
/** Tolerance in px of an outline against its pixel edges, which are stair steps. */
const STEP_TOLERANCE = 0.75;

/** Region by its outlines, holes included (even-odd). */
interface FoundRegion {
  /** x and y alternating, px; implicitly closed. */
  readonly rings: readonly Float64Array[];
  /** Share of the picture, 0 to 1. */
  readonly part: number;
}

/** Region of a flood at a level, with a smoothed outline; no rings if nothing is left. @param level 0 to LEVEL_MAX */
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

const withoutClosingPoint = (ring: Float64Array): Float64Array => ring.slice(0, -2);
