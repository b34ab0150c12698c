import { boxBlurred } from './opponent';
import type { LabPicture } from './lab';
import { neighbour, SIDES } from './neighbour';

/** Many small areas that end where colour or texture changes: what regions are merged from. */
interface Basins {
  /** Basin of each pixel, from 0. */
  readonly labels: Int32Array;
  readonly count: number;
  /** Strength of the edge at each pixel, 0 to 255. */
  readonly edges: Uint8Array;
}

/** Side of the cell that gets one seed, px. */
const CELL = 8;
/** Smoothing of the planes before edges are measured, px to each side, applied twice. */
const SMOOTHED_BY = 1;
/** Weights of light, two colours and texture in the edge. Light counts least: a colony is lit from one side. */
const WEIGHTS = [0.5, 1, 1, 6] as const;
/** Fraction of the pixels whose edge counts as full strength. */
const FULL_EDGES = 0.01;

/**
 * Floods a picture from the calmest pixel of each cell, lowest edges first (watershed), so that basins meet on edges.
 * @param rough texture, a plane of the picture's size
 */
export function basinsOf({ width, height, light, greenRed, blueYellow }: LabPicture, rough: Float32Array): Basins {
  const edges = edgesOf(
    [light, greenRed, blueYellow, rough].map((plane, index) =>
      index === 3 ? plane : boxBlurred(boxBlurred(plane, width, height, SMOOTHED_BY), width, height, SMOOTHED_BY),
    ),
    width,
    height,
  );
  const labels = new Int32Array(width * height).fill(-1);
  // A queue per strength, chained through `next`: the lowest is found without a search, as the level never decreases.
  const next = new Int32Array(labels.length);
  const heads = new Int32Array(256).fill(-1);
  const tails = new Int32Array(256).fill(-1);
  const push = (at: number, level: number): void => {
    next[at] = -1;
    if (heads[level] === -1) heads[level] = at;
    else next[tails[level] ?? 0] = at;
    tails[level] = at;
  };
  const seeds = calmest(edges, width, height);
  for (const [basin, at] of seeds.entries()) {
    labels[at] = basin;
    push(at, 0);
  }
  for (let level = 0; level < 256; level++) {
    for (let at = heads[level] ?? -1; at !== -1; at = heads[level] ?? -1) {
      heads[level] = next[at] ?? -1;
      const basin = labels[at] ?? 0;
      const column = at % width;
      for (let side = 0; side < SIDES; side++) {
        const to = neighbour(at, side, column, width);
        if (to < 0 || to >= labels.length || labels[to] !== -1) continue;
        labels[to] = basin;
        push(to, Math.max(level, edges[to] ?? 0));
      }
    }
  }
  return { labels, count: seeds.length, edges };
}

/** Lowest edge of each cell, row by row. */
function calmest(edges: Uint8Array, width: number, height: number): Int32Array {
  const across = Math.max(1, Math.round(width / CELL));
  const down = Math.max(1, Math.round(height / CELL));
  const seeds = new Int32Array(across * down);
  for (let row = 0, cell = 0; row < down; row++)
    for (let column = 0; column < across; column++, cell++) {
      let lowest = 256;
      for (let y = Math.floor((row * height) / down); y < Math.floor(((row + 1) * height) / down); y++)
        for (
          let at = y * width + Math.floor((column * width) / across),
            end = y * width + Math.floor(((column + 1) * width) / across);
          at < end;
          at++
        ) {
          if ((edges[at] ?? 0) >= lowest) continue;
          lowest = edges[at] ?? 0;
          seeds[cell] = at;
        }
    }
  return seeds;
}

/** Length of the gradient over all planes, scaled so that few pixels reach 255. */
function edgesOf(planes: readonly Float32Array[], width: number, height: number): Uint8Array {
  const strength = new Float32Array(width * height);
  for (const [index, plane] of planes.entries()) {
    const weight = WEIGHTS[index] ?? 1;
    for (let y = 0, at = 0; y < height; y++) {
      const above = y > 0 ? width : 0;
      const below = y < height - 1 ? width : 0;
      for (let x = 0; x < width; x++, at++) {
        const dx = ((plane[x < width - 1 ? at + 1 : at] ?? 0) - (plane[x > 0 ? at - 1 : at] ?? 0)) * weight;
        const dy = ((plane[at + below] ?? 0) - (plane[at - above] ?? 0)) * weight;
        strength[at] = (strength[at] ?? 0) + dx * dx + dy * dy;
      }
    }
  }
  let most = 0;
  for (let at = 0; at < strength.length; at++) {
    const value = Math.sqrt(strength[at] ?? 0);
    strength[at] = value;
    if (value > most) most = value;
  }
  const full = exceededBy(strength, most, FULL_EDGES);
  const edges = new Uint8Array(strength.length);
  for (let at = 0; at < edges.length; at++) edges[at] = Math.min(255, Math.round(((strength[at] ?? 0) / full) * 255));
  return edges;
}

/** Value that only this fraction of a plane exceeds; more than 0. @param most the greatest value */
function exceededBy(plane: Float32Array, most: number, part: number): number {
  if (most === 0) return 1;
  const bins = new Uint32Array(1024);
  const perValue = 1023 / most;
  for (let at = 0; at < plane.length; at++) {
    const bin = ((plane[at] ?? 0) * perValue) | 0;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  let bin = 1023;
  for (let passed = bins[bin] ?? 0; bin > 1 && passed < plane.length * part; passed += bins[bin] ?? 0) bin--;
  return bin / perValue;
}
