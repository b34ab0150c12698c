import type { Pixels } from '../quality/luma';
import { neighbour, SIDES } from './neighbour';
import { boxBlurred, opponentOf } from './opponent';

/** Feature planes for comparing pixels: smoothed light, red-green, yellow-blue and roughness. */
export interface RegionFeatures {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly [Float32Array, Float32Array, Float32Array, Float32Array];
}

/** px to each side, applied twice. */
const SMOOTHED_BY = 2;
/** Weights of the features. Light counts least: a colony is lit from one side. */
const WEIGHTS = [0.4, 1, 1, 1] as const;

/** Computes the features once per picture: about a tenth of a second for 800 × 600. */
export function regionFeatures(pixels: Pixels): RegionFeatures {
  const { width, height, light, redGreen, yellowBlue } = opponentOf(pixels);
  const smooth = (plane: Float32Array): Float32Array =>
    boxBlurred(boxBlurred(plane, width, height, SMOOTHED_BY), width, height, SMOOTHED_BY);
  const even = smooth(light);
  return {
    width,
    height,
    planes: [
      even,
      smooth(redGreen),
      smooth(yellowBlue),
      smooth(light.map((value, index) => Math.abs(value - (even[index] ?? 0)))),
    ],
  };
}

/** Levels at which pixels join a place. */
export interface Flood {
  readonly width: number;
  readonly height: number;
  /** Lowest level at which each pixel joins the place: 0 to {@link LEVEL_MAX}; {@link UNREACHED} if none does. */
  readonly levels: Uint8Array;
  /** px joined at each level or below. */
  readonly areas: Uint32Array;
}

export const LEVEL_MAX = 254;
export const UNREACHED = 255;

const PER_LEVEL = 0.001;
/** Radius in px around the place whose mean is compared. */
const PLACE_RADIUS = 10;
/** Spread of a feature at which it counts fully; on rough ground, with more spread, it counts less, and vice versa. */
const SPREAD_USUAL = 0.03;
const SPREAD_MIN = 0.018;

/**
 * Dissimilarity of each pixel to a place, 0 to {@link LEVEL_MAX}; {@link UNREACHED} for more. @param x px @param y px
 */
export function dissimilarity({ width, height, planes }: RegionFeatures, x: number, y: number): Uint8Array {
  const { means, weights } = sampleAround(planes, width, height, clampIndex(x, width), clampIndex(y, height));
  const [light, redGreen, yellowBlue, rough] = planes;
  const [m0, m1, m2, m3] = means;
  const [w0, w1, w2, w3] = weights;
  const distances = new Uint8Array(width * height);
  for (let at = 0; at < distances.length; at++) {
    const d0 = ((light[at] ?? 0) - m0) * w0;
    const d1 = ((redGreen[at] ?? 0) - m1) * w1;
    const d2 = ((yellowBlue[at] ?? 0) - m2) * w2;
    const d3 = ((rough[at] ?? 0) - m3) * w3;
    distances[at] = Math.min(UNREACHED, Math.round(Math.sqrt(d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3) / PER_LEVEL));
  }
  return distances;
}

const clampIndex = (value: number, length: number): number => Math.min(length - 1, Math.max(0, Math.floor(value)));

/**
 * Floods a picture from a place: a pixel joins at the lowest level at which a 4-connected path of equally similar
 * pixels leads to it; the place itself at 0. Every similar region is then one level, and refining it needs no new
 * search.
 * @param distances one byte a pixel, as returned by {@link dissimilarity}
 * @param x px
 * @param y px
 */
export function floodFrom(distances: Uint8Array, width: number, height: number, x: number, y: number): Flood {
  const levels = new Uint8Array(width * height).fill(UNREACHED);
  const areas = new Uint32Array(LEVEL_MAX + 1);
  // A list per level, chained through `next`: taking the lowest is free, as the level never decreases.
  const heads = new Int32Array(LEVEL_MAX + 1).fill(-1);
  const next = new Int32Array(width * height);
  const seen = new Uint8Array(width * height);
  const start = clampIndex(y, height) * width + clampIndex(x, width);
  seen[start] = 1;
  next[start] = -1;
  heads[0] = start;
  for (let level = 0, total = 0; level <= LEVEL_MAX; level++) {
    for (let at = heads[level] ?? -1; at !== -1; at = heads[level] ?? -1) {
      heads[level] = next[at] ?? -1;
      levels[at] = level;
      total++;
      const column = at % width;
      for (let side = 0; side < SIDES; side++) {
        const to = neighbour(at, side, column, width);
        if (to < 0 || to >= seen.length || seen[to] === 1) continue;
        seen[to] = 1;
        const own = Math.max(level, distances[to] ?? UNREACHED);
        if (own > LEVEL_MAX) continue;
        next[to] = heads[own] ?? -1;
        heads[own] = to;
      }
    }
    areas[level] = total;
  }
  return { width, height, levels, areas };
}

type Four = readonly [number, number, number, number];

/** Means of a disc around a place, and the weight of each feature there. */
function sampleAround(
  planes: RegionFeatures['planes'],
  width: number,
  height: number,
  column: number,
  row: number,
): { readonly means: Four; readonly weights: Four } {
  const values = planes.map((plane, feature): readonly [number, number] => {
    let [sum, squares, count] = [0, 0, 0];
    for (let y = Math.max(0, row - PLACE_RADIUS); y <= Math.min(height - 1, row + PLACE_RADIUS); y++)
      for (let x = Math.max(0, column - PLACE_RADIUS); x <= Math.min(width - 1, column + PLACE_RADIUS); x++) {
        if ((x - column) ** 2 + (y - row) ** 2 > PLACE_RADIUS * PLACE_RADIUS) continue;
        const value = plane[y * width + x] ?? 0;
        sum += value;
        squares += value * value;
        count++;
      }
    const mean = sum / count;
    const spread = Math.sqrt(Math.max(0, squares / count - mean * mean));
    const weight = WEIGHTS[feature] ?? 1;
    return [mean, weight * Math.sqrt(SPREAD_USUAL / Math.max(SPREAD_MIN, spread))];
  });
  const four = (which: 0 | 1): Four => [
    values[0]?.[which] ?? 0,
    values[1]?.[which] ?? 0,
    values[2]?.[which] ?? 0,
    values[3]?.[which] ?? 0,
  ];
  return { means: four(0), weights: four(1) };
}
