import { expect, test } from 'vitest';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';
import type { Surface } from './tracing-engine';
import { createTracingEngine } from './tracing-engine';

const WIDTH = 60;
const HEIGHT = 40;
const SETTING = {
  width: WIDTH,
  height: HEIGHT,
  penWidth: 6,
  styles: [1, 2, 3].map((label) => ({ label, fill: [label * 50, 10, 20] as const, lines: [0, 0, 0] as const })),
  opacity: 0.6,
};

function seen(): Surface & { readonly pixels: () => Uint32Array } {
  let pixels = new Uint32Array(0);
  return {
    pixels: () => pixels,
    resize: (width, height) => (pixels = new Uint32Array(width * height)),
    put({ left, top, right, bottom }, words) {
      words.forEach(
        (word, at) => (pixels[(top + Math.floor(at / (right - left))) * WIDTH + left + (at % (right - left))] = word),
      );
      expect(words.length).toBe((right - left) * (bottom - top));
    },
  };
}

const line = (label: number, ...points: number[]): RasterMark => ({ kind: 'stroke', points, label });

test('the view equals the raster after every drawing, undo, redo, clear and restart', () => {
  const surface = seen();
  const engine = createTracingEngine(surface);
  const fresh = (marks: readonly RasterMark[]): Uint32Array => {
    const other = seen();
    createTracingEngine(other).begin(SETTING, marks);
    return other.pixels();
  };
  const first = line(1, 0.1, 0.1, 0.9, 0.8);
  expect(engine.begin(SETTING, [first])).toMatchObject({ marks: 1, canUndo: true, canRedo: false });
  const straight = line(2, 0.1, 0.9, 0.9, 0.1);
  // The hand took a detour that the simplified line omits.
  engine.draw(Float64Array.of(0.1, 0.9, 0.5, 0.2), 2);
  engine.draw(Float64Array.of(0.9, 0.1), 2);
  expect(surface.pixels()).not.toEqual(fresh([first]));
  const added = engine.apply({ kind: 'add', mark: straight });
  expect(surface.pixels()).toEqual(fresh([first, straight]));
  expect(added.counts.reduce((sum, count) => sum + count)).toBe(WIDTH * HEIGHT);
  engine.draw(Float64Array.of(0, 0.5, 1, 0.5), 0);
  engine.discardStroke();
  expect(surface.pixels()).toEqual(fresh([first, straight]));
  engine.draw(Float64Array.of(0, 0.5, 1, 0.5), 3);
  expect(engine.apply({ kind: 'undo' })).toMatchObject({ marks: 1, canRedo: true });
  expect(surface.pixels()).toEqual(fresh([first]));
  engine.apply({ kind: 'redo' });
  expect(surface.pixels()).toEqual(fresh([first, straight]));
  const zapped = engine.apply({ kind: 'add', mark: { kind: 'zap', label: 3 } });
  expect(zapped.counts[0]).toBe(0);
  expect(surface.pixels()).toEqual(fresh([first, straight, { kind: 'zap', label: 3 }]));
  engine.apply({ kind: 'clear' });
  expect(surface.pixels()).toEqual(fresh([]));
  expect(engine.labels()).toEqual(new Uint8Array(WIDTH * HEIGHT));
  expect(engine.begin(SETTING, []).revision).toBeGreaterThan(zapped.revision);
});
