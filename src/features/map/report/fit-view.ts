import { mercatorX, mercatorY } from '../../../geo/mercator';
import type { MapInsets, MapView } from './report-map-props';

/** Side of the world at zoom 0, px (web Mercator, tiles of 512). */
const WORLD_PX = 512;
/** Highest zoom for a place that is given by its bounds. */
const FIT_ZOOM_MAX = 14;
/** Air between bounds and the edges of the free part, px. */
const MARGIN_PX = 24;

/** West, south, east, north, degrees; west > east crosses the 180th meridian. */
export type MapBounds = readonly [number, number, number, number];

/** Size of the map's element, CSS px. */
export interface MapSize {
  readonly width: number;
  readonly height: number;
}

/** Side of the world at a zoom, px. */
export function worldSize(zoom: number): number {
  return WORLD_PX * 2 ** zoom;
}

/**
 * View that shows bounds in the part of the map that no panel covers. First picture and map both use it, so that the map
 * takes the picture's place without a jump.
 */
export function fitView([west, south, east, north]: MapBounds, size: MapSize, insets: MapInsets): MapView {
  const [left, right] = [mercatorX(west), mercatorX(east < west ? east + 360 : east)];
  const [top, bottom] = [mercatorY(north), mercatorY(south)];
  const free = {
    width: Math.max(1, size.width - insets.left - insets.right - 2 * MARGIN_PX),
    height: Math.max(1, size.height - insets.top - insets.bottom - 2 * MARGIN_PX),
  };
  const scale = Math.min(free.width / Math.max(right - left, 1e-9), free.height / Math.max(bottom - top, 1e-9));
  const zoom = Math.max(0, Math.min(FIT_ZOOM_MAX, Math.log2(scale / WORLD_PX)));
  const world = worldSize(zoom);
  // The middle of the free part is the middle of the bounds.
  const x = (left + right) / 2 + (insets.right - insets.left) / 2 / world;
  const y = (top + bottom) / 2 + (insets.bottom - insets.top) / 2 / world;
  return { longitude: x * 360 - 180, latitude: latitudeAt(y), zoom };
}

function latitudeAt(y: number): number {
  return (360 / Math.PI) * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - 90;
}
