import type { RasterMark } from '../../../../src/imaging/label-raster/raster-mark';
import { simplify } from '../../../../src/imaging/simplify';
import { seeded } from '../../seed';

/**
 * Strokes of a hand after some work on a picture: each a second of a pen of 240 Hz, simplified; of 16 classes in turn.
 */
export function handStrokes(count: number): readonly (RasterMark & { readonly kind: 'stroke' })[] {
  const random = seeded(20_261_122);
  return Array.from({ length: count }, (_, index) => {
    const path = new Float64Array(480);
    let [x, y, heading] = [random.fraction(), random.fraction(), random.fraction() * Math.PI * 2];
    for (let at = 0; at < path.length; at += 2) {
      heading += (random.fraction() - 0.5) * 0.3;
      x = Math.min(1, Math.max(0, x + Math.cos(heading) * 0.0024));
      y = Math.min(1, Math.max(0, y + Math.sin(heading) * 0.0032));
      if (x === 0 || x === 1 || y === 0 || y === 1) heading += 1;
      path[at] = x;
      path[at + 1] = y;
    }
    return { kind: 'stroke', points: simplify(path, 0.0005), label: 1 + (index % 16) };
  });
}

/** Colours of 16 classes. */
export const STROKE_COLOURS: readonly (readonly [number, number, number])[] = Array.from({ length: 16 }, (_, index) => [
  (index * 67) % 256,
  (index * 131 + 40) % 256,
  (index * 29 + 90) % 256,
]);
