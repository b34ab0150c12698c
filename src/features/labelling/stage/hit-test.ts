import type { Outline } from '../../../domain/analysis/labelling/outline';
import { outlineShape } from './outline-shape';

/** Size of the whole picture on the screen, CSS px. */
interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** Smallest side of a target under a finger, CSS px: a smaller outline is touched from this far around it. */
const TARGET_PX = 28;
/** Distance at which a tap beside every outline still means the nearest, CSS px. */
const NEAR_PX = 14;

/**
 * Smallest outline under a finger; with none under it, the nearest within reach, else null. An outline that is smaller
 * than a fingertip is touched from around it too.
 * @param x normalised, as `y`
 */
export function outlineAt(outlines: readonly Outline[], x: number, y: number, screen: ScreenSize): Outline | null {
  let smallest: Outline | null = null;
  let nearest: Outline | null = null;
  let nearestPx = NEAR_PX;
  for (const outline of outlines) {
    const beyond = boundsDistance(outline, x, y, screen);
    if (beyond > NEAR_PX) continue;
    const isUnder = beyond === 0 && isInside(outline.rings, x, y);
    if (!isUnder) {
      const px = borderDistance(outline.rings, x, y, screen);
      if (px > reachOf(outline, screen)) {
        if (px < nearestPx) [nearest, nearestPx] = [outline, px];
        continue;
      }
    }
    if (smallest === null || outline.area < smallest.area) smallest = outline;
  }
  return smallest ?? nearest;
}

/** True if a point is within rings by the even-odd rule. */
export function isInside(rings: Outline['rings'], x: number, y: number): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let at = 1; at < ring.length; at++) {
      const [fromX, fromY] = ring[at - 1] ?? [0, 0];
      const [toX, toY] = ring[at] ?? [0, 0];
      if (fromY > y !== toY > y && x < fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX)) inside = !inside;
    }
  }
  return inside;
}

/** Distance of a point from the nearest border, CSS px. */
export function borderDistance(rings: Outline['rings'], x: number, y: number, { width, height }: ScreenSize): number {
  let least = Infinity;
  for (const ring of rings) {
    for (let at = 1; at < ring.length; at++) {
      const [fromX, fromY] = ring[at - 1] ?? [0, 0];
      const [toX, toY] = ring[at] ?? [0, 0];
      const [ax, ay] = [(fromX - x) * width, (fromY - y) * height];
      const [dx, dy] = [(toX - fromX) * width, (toY - fromY) * height];
      const length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
      const [nearX, nearY] = [ax + along * dx, ay + along * dy];
      least = Math.min(least, nearX * nearX + nearY * nearY);
    }
  }
  return Math.sqrt(least);
}

function reachOf(outline: Outline, { width, height }: ScreenSize): number {
  const { left, right, top, bottom } = outlineShape(outline);
  return Math.max(0, Math.min(NEAR_PX, (TARGET_PX - Math.min((right - left) * width, (bottom - top) * height)) / 2));
}

function boundsDistance(outline: Outline, x: number, y: number, { width, height }: ScreenSize): number {
  const { left, right, top, bottom } = outlineShape(outline);
  return Math.hypot(Math.max(left - x, 0, x - right) * width, Math.max(top - y, 0, y - bottom) * height);
}
