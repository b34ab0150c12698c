import { edgeCosts } from '../../imaging/segmentation/edge-cost';
import type { EdgeCosts } from '../../imaging/segmentation/edge-cost';
import { buildWireTree, wirePath } from '../../imaging/segmentation/live-wire';
import type { WireTree } from '../../imaging/segmentation/live-wire';
import { floodFrom, regionFeatures, dissimilarity } from '../../imaging/segmentation/flood';
import type { Flood, RegionFeatures } from '../../imaging/segmentation/flood';
import { chooseLevel, regionAt } from '../../imaging/segmentation/region';
import { simplify } from '../../imaging/simplify';
import type { FoundArea, OutlineEngine, OutlinePicture } from './outline.api';

/** Limits of an area as shares of the picture: above, it is the whole picture; below, a speck. */
const PART_MAX = 0.7;
const PART_MIN = 0.0002;
/** Reach of an edge line from its last corner, as a part of the picture's longer side. */
const REACH = 0.25;
/** Distance in px that the line may deviate from the middle of its pixels. */
const WIRE_TOLERANCE = 0.75;

/** Finds outlines in one picture at a time; derived data is computed on first use and cached. */
export function createOutlineEngine(): OutlineEngine {
  let key: string | null = null;
  let picture: OutlinePicture | null = null;
  let features: RegionFeatures | null = null;
  let flood: { readonly x: number; readonly y: number; readonly flood: Flood } | null = null;
  let costs: EdgeCosts | null = null;
  let tree: WireTree | null = null;

  const floodAt = (picture: OutlinePicture, x: number, y: number): Flood => {
    if (flood?.x === x && flood.y === y) return flood.flood;
    features ??= regionFeatures(picture);
    const [px, py] = [x * picture.width, y * picture.height];
    flood = { x, y, flood: floodFrom(dissimilarity(features, px, py), picture.width, picture.height, px, py) };
    return flood.flood;
  };

  return {
    hasPicture: (wanted) => wanted === key,
    setPicture: (of, given) => {
      [key, picture, features, flood, costs, tree] = [of, given, null, null, null, null];
    },
    area: (x, y, by): FoundArea => {
      if (picture === null) return { state: 'no-picture' };
      const from = floodAt(picture, x, y);
      const { rings, part } = regionAt(from, chooseLevel(from) + by);
      if (part > PART_MAX) return { state: 'everything' };
      if (rings.length === 0 || part < PART_MIN) return { state: 'nothing' };
      const { width, height } = picture;
      return {
        state: 'found',
        rings: rings.map((ring) => ring.map((value, at) => value / (at % 2 === 0 ? width : height))),
        part,
      };
    },
    edge: (fromX, fromY, toX, toY) => {
      if (picture === null) return null;
      const { width, height } = picture;
      costs ??= edgeCosts(picture);
      const [x, y] = [
        Math.min(width - 1, Math.max(0, Math.floor(fromX * width))),
        Math.min(height - 1, Math.max(0, Math.floor(fromY * height))),
      ];
      if (tree?.from[0] !== x || tree.from[1] !== y)
        tree = buildWireTree(costs, x, y, Math.round(Math.max(width, height) * REACH));
      const way = simplify(wirePath(tree, toX * width, toY * height), WIRE_TOLERANCE);
      // Both ends are exact: a corner stays where the finger put it.
      return Float64Array.from([
        fromX,
        fromY,
        ...way.slice(2, -2).map((value, at) => (value + 0.5) / (at % 2 === 0 ? width : height)),
        toX,
        toY,
      ]);
    },
  };
}
