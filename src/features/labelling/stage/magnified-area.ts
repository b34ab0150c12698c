import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { PictureArea } from '../../picture-viewer';
import { outlineShape } from './outline-shape';

/** Part of the picture that the magnifier shows: a square on the screen. */
export type MagnifiedArea = PictureArea;

/** Largest side on the screen, CSS px, at which an outline counts as small. */
const SMALL_PX = 132;
/** Side of the square per longer side of the outline, and its least side, px of the picture. */
const ROOM = 1.5;
const SIDE_MIN = 48;

/**
 * Square around a small outline, within the picture; null if the outline is large enough to be seen where it is.
 * @param size px of the picture
 * @param scale CSS px per px of the picture
 */
export function magnifiedArea(
  outline: Outline,
  { width, height }: { readonly width: number; readonly height: number },
  scale: number,
): MagnifiedArea | null {
  const { left, right, top, bottom } = outlineShape(outline);
  const longer = Math.max((right - left) * width, (bottom - top) * height);
  if (longer * scale > SMALL_PX) return null;
  const side = Math.max(SIDE_MIN, longer * ROOM);
  if (side > Math.min(width, height)) return null;
  const within = (middle: number, whole: number): number =>
    Math.min(1 - side / whole, Math.max(0, middle - side / whole / 2));
  return {
    left: within((left + right) / 2, width),
    top: within((top + bottom) / 2, height),
    width: side / width,
    height: side / height,
  };
}
