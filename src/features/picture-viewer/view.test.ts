import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { View, ViewSizes } from './view';
import {
  fitView,
  clampView,
  matrixOf,
  nextStep,
  panned,
  placeAt,
  resized,
  rotated,
  stepOf,
  zoomSteps,
  zoomedAt,
} from './view';

const side = fc.integer({ min: 50, max: 12_000 });
const sizes: fc.Arbitrary<ViewSizes> = fc.record({
  width: side,
  height: side,
  stageWidth: fc.integer({ min: 120, max: 2000 }),
  stageHeight: fc.integer({ min: 120, max: 2000 }),
});
const view: fc.Arbitrary<readonly [View, ViewSizes]> = fc
  .tuple(
    sizes,
    fc.double({ min: 0.3, max: 4, noNaN: true }),
    fc.double({ min: -1, max: 2, noNaN: true }),
    fc.double({ min: -1, max: 2, noNaN: true }),
    fc.nat(3),
  )
  .map(([given, zoom, x, y, turns]) => {
    const fit = fitView(given, turns);
    return [
      clampView({ scale: fit.scale * zoom, x: x * given.stageWidth, y: y * given.stageHeight, turns }, given),
      given,
    ] as const;
  });
const BOX: ViewSizes = { width: 4000, height: 3000, stageWidth: 1000, stageHeight: 600 };

describe('2§4: zoom, moving and rotation', () => {
  test('the whole picture is shown first, centred', () => {
    expect(fitView(BOX)).toEqual({ scale: 0.2, x: 500, y: 300, turns: 0 });
    expect(placeAt(fitView(BOX), BOX, 100, 0)).toEqual([0, 0]);
    expect(placeAt(fitView(BOX), BOX, 900, 600)).toEqual([1, 1]);
  });

  test('on a small screen the picture begins at the top, also after the stage changed', () => {
    const high: ViewSizes = { ...BOX, stageWidth: 400, stageHeight: 700, isTopAligned: true };
    expect(fitView(high)).toEqual({ scale: 0.1, x: 200, y: 150, turns: 0 });
    expect(placeAt(fitView(high), high, 0, 0)).toEqual([0, 0]);
    const higher = { ...high, stageHeight: 900 };
    expect(resized(fitView(high), high, higher)).toEqual(fitView(high));
    const wide: ViewSizes = { ...BOX, isTopAligned: true };
    expect(resized(fitView(high), high, wide)).toEqual(fitView(wide));
  });

  test('2§9: zoom has four steps from 0.9 to 3, then starts over', () => {
    const steps = zoomSteps(BOX, 0);
    expect(steps).toHaveLength(4);
    expect(steps[0]).toBeCloseTo(0.18, 10);
    expect(steps[3]).toBeCloseTo(0.6, 10);
    let at = fitView(BOX);
    expect(stepOf(at, BOX)).toBeNull();
    const seen: (number | null)[] = [];
    for (let times = 0; times < 8; times++) {
      at = nextStep(at, BOX);
      seen.push(stepOf(at, BOX));
    }
    expect(seen).toEqual([1, 2, 3, 0, 1, 2, 3, 0]);
  });

  test('a quarter turn shows the whole picture sideways, and four turns change nothing', () => {
    const turned = rotated(fitView(BOX), BOX);
    expect(turned).toEqual({ scale: 0.15, x: 500, y: 300, turns: 1 });
    // Clockwise: the picture's upper left corner is at the upper right of the stage.
    expect(placeAt(turned, BOX, 500 + 225, 0).map((value) => Math.round(value * 1e9) / 1e9)).toEqual([0, 0]);
    expect([1, 2, 3].reduce((at) => rotated(at, BOX), turned)).toEqual(fitView(BOX));
  });

  test('zooming keeps the point under the pointer unless a limit applies', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 0.3, max: 0.7, noNaN: true }),
        fc.double({ min: 0.3, max: 0.7, noNaN: true }),
        fc.nat(3),
        (given, factor, px, py, turns) => {
          const [x, y] = [px * given.stageWidth, py * given.stageHeight];
          const before = fitView(given, turns);
          const after = zoomedAt(before, given, factor, x, y);
          const ideal = [
            x + (before.x - x) * (after.scale / before.scale),
            y + (before.y - y) * (after.scale / before.scale),
          ] as const;
          // Stopped at an edge or at a zoom limit.
          if (Math.hypot(after.x - ideal[0], after.y - ideal[1]) > 1e-9) return;
          const [a, b] = [placeAt(before, given, x, y), placeAt(after, given, x, y)];
          expect(b[0]).toBeCloseTo(a[0], 6);
          expect(b[1]).toBeCloseTo(a[1], 6);
        },
      ),
    );
  });

  test('the matrix and placeAt agree in every view', () => {
    fc.assert(
      fc.property(
        view,
        fc.double({ min: -0.2, max: 1.2, noNaN: true }),
        fc.double({ min: -0.2, max: 1.2, noNaN: true }),
        ([at, given], px, py) => {
          const [a, b, c, d, e, f] = matrixOf(at, given);
          const [x, y] = [px * given.width, py * given.height];
          const [backX, backY] = placeAt(at, given, a * x + c * y + e, b * x + d * y + f);
          expect(backX).toBeCloseTo(px, 6);
          expect(backY).toBeCloseTo(py, 6);
        },
      ),
    );
  });

  test('some of the picture stays visible after any move, and zoom is bounded', () => {
    fc.assert(
      fc.property(
        view,
        fc.array(
          fc.tuple(
            fc.double({ min: 0.01, max: 100, noNaN: true }),
            fc.double({ min: -5000, max: 5000, noNaN: true }),
            fc.double({ min: -5000, max: 5000, noNaN: true }),
          ),
          { maxLength: 6 },
        ),
        ([start, given], moves) => {
          let at = start;
          for (const [factor, x, y] of moves) at = zoomedAt(panned(at, given, x, y), given, factor, x, y);
          const [a, b, c, d, e, f] = matrixOf(at, given);
          const corners = [
            [0, 0],
            [given.width, 0],
            [0, given.height],
            [given.width, given.height],
          ].map(([x, y]) => [a * x! + c * y! + e, b * x! + d * y! + f] as const);
          const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
          const [top, bottom] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
          expect(Math.min(right, given.stageWidth) - Math.max(left, 0)).toBeGreaterThan(0);
          expect(Math.min(bottom, given.stageHeight) - Math.max(top, 0)).toBeGreaterThan(0);
          expect(at.scale).toBeGreaterThan(0);
          expect(Number.isFinite(at.scale)).toBe(true);
          expect(clampView(at, given)).toEqual(at);
        },
      ),
    );
  });

  test('2§9: labelling zooms from 1 to 3 times the fitting size, with fingers too', () => {
    const given: ViewSizes = { ...BOX, zoomLimits: { min: 1, max: 3 } };
    const fit = fitView(given);
    expect(zoomedAt(fit, given, 100, 500, 300).scale).toBeCloseTo(3 * fit.scale, 10);
    expect(zoomedAt(fit, given, 0.01, 500, 300).scale).toBeCloseTo(fit.scale, 10);
  });

  test('a resized stage keeps the same centre', () => {
    const before = zoomedAt(fitView(BOX), BOX, 2.8, 450, 280);
    const turnedTablet = { ...BOX, stageWidth: 600, stageHeight: 900 };
    const after = resized(before, BOX, turnedTablet);
    const [a, b] = [placeAt(before, BOX, 500, 300), placeAt(after, turnedTablet, 300, 450)];
    expect(b[0]).toBeCloseTo(a[0], 9);
    expect(b[1]).toBeCloseTo(a[1], 9);
  });
});
