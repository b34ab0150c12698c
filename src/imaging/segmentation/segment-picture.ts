import type { Outline, OutlineSet } from '../../domain/analysis/labelling/outline';
import type { Position } from '../../domain/geobuf/geojson';
import { basinsOf } from './basins';
import { labOf } from './lab';
import { boxBlurred } from './opponent';
import { predictClass } from './predict-class';
import type { RegionLook } from './predict-class';
import { RegionGraph } from './region-graph';
import { shrinkPicture } from './shrink-picture';
import { LEFT_OUT, tilingOf } from './tiling';

/** Sizes that an outline may have, as fractions of the picture, 0 to 1 (a region's polygon sizes). */
export interface OutlineSizes {
  readonly minSize: number;
  readonly maxSize: number;
}

/** `model` of outlines from here. */
const SEGMENTATION = 'segmentation-1';
/** Greatest number of outlines of one picture. */
const OUTLINES_MAX = 200;

/** Longer side on which a picture is segmented, px. */
const WORKING_SIDE = 800;
/** Smoothing of light before texture is measured, and of texture, px to each side, applied twice. */
const ROUGH_OVER = 2;
/** Weights of light, green-red, blue-yellow and texture. Light counts least: a colony is lit from one side. */
const WEIGHTS = [0.5, 1, 1, 3] as const;
/** Regions that are left before sizes count. */
const FIRST_REGIONS = 2000;
/** Difference up to which neighbours are one region, however large: water and sand are few outlines then. */
const ALIKE = 0.002;
/** Tolerance of an outline against its pixel edges, which are stair steps, px of the working picture. */
const STEP_TOLERANCE = 1;
/** Rounding of coordinates: 5 decimals. */
const UNIT = 100_000;

/**
 * Divides a picture into outlines along the edges of colonies. They tile it: neighbours have the same line, and what
 * is smaller than the least size belongs to the neighbour that it resembles most.
 *
 * The picture is flooded into some thousand basins, which are merged by colour, texture and border strength.
 * @param data red, green, blue, alpha of each pixel, row by row
 * @param sizes outlines outside of them are left out
 * @returns at most {@link OUTLINES_MAX} outlines, largest first; none if no size fits
 */
export function segmentPicture(
  data: Uint8ClampedArray | Uint8Array,
  width: number,
  height: number,
  sizes: OutlineSizes,
): OutlineSet {
  const picture = shrinkPicture({ width, height, data }, WORKING_SIDE);
  const lab = labOf(picture);
  const { width: across, height: down } = picture;
  const rough = roughness(lab.light, across, down);
  const { labels, count, edges } = basinsOf(lab, rough);
  const features = [lab.light, lab.greenRed, lab.blueYellow, rough].map((plane, index) =>
    plane.map((value) => value * (WEIGHTS[index] ?? 1)),
  );
  const graph = new RegionGraph(labels, count, across, features, edges);
  mergeToSizes(graph, across * down, sizes);
  const regions = renumber(labels, graph, across * down, sizes);
  const tiles = tilingOf(regions.labels, regions.roots.length, across, down, STEP_TOLERANCE);
  const outlines = regions.roots.flatMap((root, region): readonly Outline[] => {
    const rings = (tiles[region] ?? []).map((ring) => positionsOf(ring, across, down));
    // Nothing is left of a sliver by simplification.
    if (rings.length === 0) return [];
    const area = (graph.sizes[root] ?? 0) / (across * down);
    const id = `s${region + 1}`;
    const label = predictClass(lookOf(graph, root));
    return [{ id, rings, area, predicted: { id, pixels: Math.round(area * width * height), icon: label, label } }];
  });
  return { source: 'segmentation', model: SEGMENTATION, width, height, outlines };
}

/** Texture of each pixel: deviation of light from its surroundings, smoothed. */
function roughness(light: Float32Array, width: number, height: number): Float32Array {
  const smooth = (plane: Float32Array): Float32Array =>
    boxBlurred(boxBlurred(plane, width, height, ROUGH_OVER), width, height, ROUGH_OVER);
  const even = smooth(light);
  for (let at = 0; at < even.length; at++) even[at] = Math.abs((light[at] ?? 0) - (even[at] ?? 0));
  return smooth(even);
}

/** Merges until no region is too small, none too large was made, and there are few enough. */
function mergeToSizes(graph: RegionGraph, pixels: number, { minSize, maxSize }: OutlineSizes): void {
  const least = minSize * pixels;
  const most = maxSize * pixels;
  const within = (first: number, second: number): number => (first + second <= most ? 1 : Infinity);
  graph.merge({ until: FIRST_REGIONS, weigh: within });
  // Small ones join small neighbours rather than large ones, unless those are much more alike.
  graph.merge({
    until: 1,
    weigh: (first, second) =>
      Math.min(first, second) < least ? within(first, second) * Math.sqrt(Math.max(first, second)) : Infinity,
  });
  graph.merge({ until: 1, weigh: within, differenceMax: ALIKE });
  graph.merge({ until: OUTLINES_MAX, weigh: within });
}

/** Numbers the regions of fitting size from 0, largest first; pixels of others get {@link LEFT_OUT}. */
function renumber(
  basins: Int32Array,
  graph: RegionGraph,
  pixels: number,
  { minSize, maxSize }: OutlineSizes,
): { readonly labels: Uint8Array; readonly roots: readonly number[] } {
  const sizeOf = (root: number): number => graph.sizes[root] ?? 0;
  const roots = Array.from(graph.sizes.keys())
    .filter((basin) => graph.find(basin) === basin)
    .filter((root) => sizeOf(root) >= minSize * pixels && sizeOf(root) <= maxSize * pixels)
    .sort((one, other) => sizeOf(other) - sizeOf(one) || one - other)
    .slice(0, OUTLINES_MAX);
  const numbers = new Map(roots.map((root, number) => [root, number]));
  const byBasin = Uint8Array.from(graph.sizes.keys(), (basin) => numbers.get(graph.find(basin)) ?? LEFT_OUT);
  const labels = new Uint8Array(basins.length);
  for (let at = 0; at < labels.length; at++) labels[at] = byBasin[basins[at] ?? 0] ?? LEFT_OUT;
  return { labels, roots };
}

const positionsOf = (ring: Float64Array, width: number, height: number): readonly Position[] =>
  Array.from({ length: ring.length >> 1 }, (_, index) => [
    Math.round(((ring[index * 2] ?? 0) / width) * UNIT) / UNIT,
    Math.round(((ring[index * 2 + 1] ?? 0) / height) * UNIT) / UNIT,
  ]);

/** Look of a region, from the means of its features. */
const lookOf = (graph: RegionGraph, root: number): RegionLook => ({
  light: graph.mean(root, 0) / WEIGHTS[0],
  greenRed: graph.mean(root, 1) / WEIGHTS[1],
  blueYellow: graph.mean(root, 2) / WEIGHTS[2],
  rough: graph.mean(root, 3) / WEIGHTS[3],
});
