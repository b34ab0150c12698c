import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RasterDelta } from './raster-delta';
import { MarkHistory } from './mark-history';
import type { RasterMark } from './raster-mark';
import { applyMark } from './raster-mark';
import { blankRaster, coverageOf, coveredOf, countLabels } from './label-raster';

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
  | { readonly act: 'add'; readonly mark: RasterMark }
  | { readonly act: 'undo' | 'redo' | 'clear' }
  | { readonly act: 'live'; readonly points: number[]; readonly label: number };
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: mark.map((made) => ({ act: 'add' as const, mark: made })) },
  { weight: 5, arbitrary: fc.constant({ act: 'undo' as const }) },
  { weight: 4, arbitrary: fc.constant({ act: 'redo' as const }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('live' as const), points, label }) },
  { weight: 1, arbitrary: fc.constant({ act: 'clear' as const }) },
);

/** Raster of the marks on a blank picture. */
function painted(marks: readonly RasterMark[]): Uint8Array {
  const raster = blankRaster(WIDTH, HEIGHT);
  for (const each of marks) applyMark(raster, each, RADIUS, new RasterDelta());
  return raster.labels;
}

describe('2§4 undo, redo, erase and zap: the raster is what the standing marks give, whatever was done and undone', () => {
  // With hardly any memory, changes are freed at once and undo uses checkpoints.
  test.each([undefined, 20_000, 0])('with %s bytes for what undo needs', (memory) => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const history = new MarkHistory(WIDTH, HEIGHT, RADIUS, memory);
        const stand: RasterMark[] = [];
        let undone: RasterMark[] = [];
        let live = false;
        for (const each of acts) {
          live = each.act === 'live';
          if (each.act === 'add') {
            history.add(each.mark);
            stand.push(each.mark);
            undone = [];
          } else if (each.act === 'live') history.drawLiveStroke(each.points, each.label);
          else if (each.act === 'clear') {
            history.clear();
            stand.length = undone.length = 0;
          } else if (each.act === 'undo') {
            history.undo();
            const last = stand.pop();
            if (last !== undefined) undone.push(last);
          } else {
            history.redo();
            const next = undone.pop();
            if (next !== undefined) stand.push(next);
          }
          expect(history.raster.counts).toEqual(countLabels(history.raster));
          expect([history.canUndo, history.canRedo]).toEqual([stand.length > 0, undone.length > 0]);
          if (!live) expect(Buffer.compare(history.raster.labels, painted(stand))).toBe(0);
        }
        history.discardLiveStroke();
        expect(Buffer.compare(history.raster.labels, painted(stand))).toBe(0);
        expect(history.marks).toEqual(stand);
      }),
      { numRuns: 150 },
    );
  });

  test('far more marks than checkpoints are apart, all undone and all done again with little memory', () => {
    const history = new MarkHistory(WIDTH, HEIGHT, RADIUS, 8_000);
    const marks = Array.from({ length: 300 }, (_, index): RasterMark => ({
      kind: 'stroke',
      points: [(index % 17) / 17, (index % 13) / 13, (index % 7) / 7, (index % 11) / 11],
      label: index % 5,
    }));
    const after = marks.map((each) => {
      history.add(each);
      return history.raster.labels.slice();
    });
    for (let index = marks.length - 1; index > 0; index--) {
      history.undo();
      expect(Buffer.compare(history.raster.labels, after[index - 1]!)).toBe(0);
    }
    for (let index = 1; index < marks.length; index++) {
      history.redo();
      expect(Buffer.compare(history.raster.labels, after[index]!)).toBe(0);
    }
  });

  test('a zap fills what nobody labelled; a flag is all there is', () => {
    const history = new MarkHistory(100, 100, 5);
    history.add({ kind: 'polygon', rings: [[0, 0, 0.25, 0, 0.25, 1, 0, 1]], label: 3 });
    expect(coveredOf(history.raster)).toBe(0.25);
    history.add({ kind: 'zap', label: 9 });
    expect([coverageOf(history.raster, 3), coverageOf(history.raster, 9), coveredOf(history.raster)]).toEqual([
      0.25, 0.75, 1,
    ]);
    history.add({ kind: 'flag', label: 200 });
    expect([coverageOf(history.raster, 3), coverageOf(history.raster, 200)]).toEqual([0, 1]);
    history.undo();
    expect(coverageOf(history.raster, 3)).toBe(0.25);
  });
});
