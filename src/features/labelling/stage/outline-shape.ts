import type { Outline } from '../../../domain/analysis/labelling/outline';

/** Geometry of an outline that the stage asks for again and again; normalised, like the outline. */
interface OutlineShape {
  /** SVG path in a 1 by 1 box; fill it with the even-odd rule. */
  readonly path: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Outlines are stored with 5 decimals. */
const STORED = 1e5;
/** Hundredths of a CSS px, also where it is enlarged. */
const SCALED = 100;

const shapes = new WeakMap<Outline, OutlineShape>();

/** Path and bounds of an outline, computed once: outlines do not change. */
export function outlineShape(outline: Outline): OutlineShape {
  const known = shapes.get(outline);
  if (known !== undefined) return known;
  const made = { path: outlinePath(outline.rings, 1, 1, STORED), ...boundsOf(outline.rings) };
  shapes.set(outline, made);
  return made;
}

/** SVG path of an outline in a box of this size, CSS px. */
export const scaledPath = ({ rings }: Outline, width: number, height: number): string =>
  outlinePath(rings, width, height, SCALED);

/** SVG path of closed rings. @param precision fractions of a unit that are told apart */
function outlinePath(rings: Outline['rings'], width: number, height: number, precision: number): string {
  // A sum of fractions may carry more decimals than are stored.
  const short = (value: number): number => Math.round(value * precision) / precision;
  return rings
    .map(
      (ring) =>
        `M${ring
          .slice(0, -1)
          .map(([x, y]) => `${short(x * width)} ${short(y * height)}`)
          .join('L')}Z`,
    )
    .join('');
}

function boundsOf(rings: Outline['rings']): Omit<OutlineShape, 'path'> {
  let [left, top, right, bottom] = [1, 1, 0, 0];
  for (const [x, y] of rings[0] ?? []) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return right < left ? { left: 0, top: 0, right: 0, bottom: 0 } : { left, top, right, bottom };
}
