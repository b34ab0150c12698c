import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countLabels } from '../../../tests/support/count-labels';
import { applyMarkCommand, EMPTY_LOG } from '../../domain/analysis/mark-log';
import type { MarkCommand, MarkLog } from '../../domain/analysis/mark-log';
import { RasterDelta } from './raster-delta';
import { MarkPainter } from './mark-painter';
import type { RasterMark } from './raster-mark';
import { applyMark } from './raster-mark';
import { UNLABELLED, blankRaster } from './label-raster';
import type { Box } from './label-raster';

const WIDTH = 53;
const HEIGHT = 37;
const RADIUS = 3;

const place = fc.double({ min: -0.1, max: 1.1, noNaN: true });
const label = fc.nat(4);
const points = fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 6 }).map((pairs) => pairs.flat());
const mark: fc.Arbitrary<RasterMark> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('stroke' as const), points, label }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('polygon' as const),
      rings: fc.array(points, { minLength: 1, maxLength: 2 }),
      label,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zap' as const), label }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flag' as const), label }) },
);
type Act =
  | MarkCommand<RasterMark>
  | { readonly kind: 'live'; readonly points: number[]; readonly label: number }
  /** Several edits at once. */
  | { readonly kind: 'keep'; readonly share: number; readonly more: readonly RasterMark[] };
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: mark.map((made) => ({ kind: 'add' as const, mark: made })) },
  { weight: 5, arbitrary: fc.constant({ kind: 'undo' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'redo' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('live' as const), points, label }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('keep' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      more: fc.array(mark, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'clear' as const }) },
);

/** Raster of the marks on a blank picture. */
function painted(marks: readonly RasterMark[]): Uint8Array {
  const raster = blankRaster(WIDTH, HEIGHT);
  for (const each of marks) applyMark(raster, each, RADIUS, new RasterDelta());
  return raster.labels;
}

describe('2§4 undo, redo, erase and zap: the raster equals its marks after any edits', () => {
  // With hardly any memory, changes are freed at once and undo uses checkpoints.
  test.each([undefined, 20_000, 0])('with %s bytes for deltas and checkpoints', (memory) => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const painter = new MarkPainter(WIDTH, HEIGHT, RADIUS, memory);
        const seen = blankRaster(WIDTH, HEIGHT).labels;
        let log: MarkLog<RasterMark> = EMPTY_LOG;
        for (const each of acts) {
          let box: Box;
          if (each.kind === 'live') box = painter.drawLiveStroke(each.points, each.label);
          else {
            if (each.kind === 'keep') {
              const { marks, undone } = log;
              log = { marks: [...marks.slice(0, Math.round(each.share * marks.length)), ...each.more], undone };
            } else log = applyMarkCommand(log, each);
            box = painter.show(log.marks);
            expect(Buffer.compare(painter.raster.labels, painted(log.marks))).toBe(0);
          }
          expect(painter.raster.counts).toEqual(countLabels(painter.raster));
          // A screen that repaints the returned boxes shows the raster.
          for (let y = Math.max(0, box.top); y < box.bottom; y++)
            for (let at = y * WIDTH + box.left; at < y * WIDTH + box.right; at++) seen[at] = painter.raster.labels[at]!;
          if (each.kind !== 'live') expect(Buffer.compare(seen, painter.raster.labels)).toBe(0);
        }
        painter.discardLiveStroke();
        expect(Buffer.compare(painter.raster.labels, painted(log.marks))).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('300 marks are undone and redone with little memory', () => {
    const painter = new MarkPainter(WIDTH, HEIGHT, RADIUS, 8_000);
    const marks = Array.from({ length: 300 }, (_, index): RasterMark => ({
      kind: 'stroke',
      points: [(index % 17) / 17, (index % 13) / 13, (index % 7) / 7, (index % 11) / 11],
      label: index % 5,
    }));
    const after = marks.map((_, index) => {
      painter.show(marks.slice(0, index + 1));
      return painter.raster.labels.slice();
    });
    for (let index = marks.length - 1; index > 0; index--) {
      painter.show(marks.slice(0, index));
      expect(Buffer.compare(painter.raster.labels, after[index - 1]!)).toBe(0);
    }
    for (let index = 1; index < marks.length; index++) {
      painter.show(marks.slice(0, index + 1));
      expect(Buffer.compare(painter.raster.labels, after[index]!)).toBe(0);
    }
  });

  test('a zap fills the unlabelled part, and a flag covers everything', () => {
    const painter = new MarkPainter(100, 100, 5);
    const share = (label: number): number => painter.raster.counts[label]! / 10_000;
    const quarter: RasterMark = { kind: 'polygon', rings: [[0, 0, 0.25, 0, 0.25, 1, 0, 1]], label: 3 };
    const zap: RasterMark = { kind: 'zap', label: 9 };
    painter.show([quarter]);
    expect([share(3), share(UNLABELLED)]).toEqual([0.25, 0.75]);
    painter.show([quarter, zap]);
    expect([share(3), share(9), share(UNLABELLED)]).toEqual([0.25, 0.75, 0]);
    painter.show([quarter, zap, { kind: 'flag', label: 200 }]);
    expect([share(3), share(200)]).toEqual([0, 1]);
    painter.show([quarter, zap]);
    expect(share(3)).toBe(0.25);
  });
});
