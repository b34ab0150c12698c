import { contours, ringArea } from '../../imaging/contours';
import { REEF_CLASSES } from '../../imaging/reef-renderer/reef-classes';
import { CATEGORY_OF } from '../../imaging/reef-renderer/render-demo';
import { simplify } from '../../imaging/simplify';

/** Smallest outline worth drawing, as a share of the picture; smaller ones are specks. */
const SPECK = 0.0004;
/** Distance tolerance of the line, normalised: a quarter of the pen's width. */
const NEAR = 0.003;

/**
 * Outline of a type on a generated picture: an SVG path in a 1 by 1 box, even-odd.
 * @param labels one byte a pixel, row by row, as rendered
 * @param type id of a category type
 */
export function outlinePath(labels: Uint8Array, width: number, height: number, type: string): string {
  const matchesType = REEF_CLASSES.map(({ letter }) => CATEGORY_OF[letter] === type);
  const mask = labels.map((label) => (matchesType[label] === true ? 1 : 0));
  let path = '';
  for (const ring of contours(mask, width, height, 1)) {
    if (Math.abs(ringArea(ring)) < SPECK * width * height) continue;
    const places = Float64Array.from(ring, (value, at) => value / (at % 2 === 0 ? width : height));
    const simple = simplify(places, NEAR);
    for (let at = 0; at < simple.length; at += 2)
      path += `${at === 0 ? 'M' : 'L'}${(simple[at] ?? 0).toFixed(4)} ${(simple[at + 1] ?? 0).toFixed(4)}`;
    path += 'Z';
  }
  return path;
}
