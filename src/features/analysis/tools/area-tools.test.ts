import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '../../../domain/geobuf/geojson';
import type { FoundArea } from '../../../workers/outline/outline.api';
import { createEdgeTool, EDGE_MESSAGE } from './edge-tool';
import { AREA_MESSAGES, createPolygonTool } from './polygon-tool';
import { createTapTool, TAP_MESSAGES } from './tap-tool';
import type { Tool, ToolDraft, ToolHost } from './tool';

function noted() {
  const made: (readonly (readonly Position[])[])[] = [];
  const said: string[] = [];
  const drafts: (ToolDraft | null)[] = [];
  const host: ToolHost = {
    draw: () => expect.fail('an area is not drawn'),
    discardStroke: () => undefined,
    finish: (mark) => (mark.kind === 'polygon' ? made.push(mark.rings) : expect.fail('an area is a polygon')),
    showDraft: (draft) => drafts.push(draft),
    showMessage: (words) => said.push(words),
  };
  return { host, made, said, drafts, shown: () => drafts.at(-1) ?? null };
}

const REACH = () => ({ x: 0.02, y: 0.03 });
const tap = (tool: Tool, x: number, y: number): void => {
  tool.down(x, y);
  tool.up();
};
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const SQUARE = [
  [0.2, 0.2],
  [0.6, 0.2],
  [0.6, 0.7],
  [0.2, 0.7],
] as const;
const RING = [...SQUARE, SQUARE[0]];

describe('2§4 polygon tool', () => {
  test('tapping the first corner, double-tapping the last and Enter fill the same area', () => {
    for (const end of [
      (tool: Tool) => tap(tool, 0.21, 0.19),
      (tool: Tool) => tap(tool, 0.2, 0.7),
      (tool: Tool) => tool.confirm(),
      (tool: Tool) => drag(tool),
    ]) {
      const { host, made, shown } = noted();
      const tool = createPolygonTool(host, REACH);
      for (const [x, y] of SQUARE) tap(tool, x, y);
      end(tool);
      expect(made).toEqual([[RING]]);
      expect(shown()).toBeNull();
    }
    function drag(tool: Tool): void {
      tool.down(0.3, 0.5);
      tool.move(Float64Array.of(0.25, 0.3, 0.2, 0.21));
      tool.up();
    }
  });

  test('a finger held down moves the corner, and a second finger removes it', () => {
    const { host, made, shown } = noted();
    const tool = createPolygonTool(host, REACH);
    tap(tool, 0.2, 0.2);
    tool.down(0.5, 0.5);
    tool.move(Float64Array.of(0.55, 0.3, 0.6, 0.2));
    tool.up();
    tool.down(0.9, 0.9);
    tool.cancel();
    expect(shown()?.corners).toEqual([
      [0.2, 0.2],
      [0.6, 0.2],
    ]);
    tap(tool, 0.6, 0.7);
    tool.confirm();
    expect(made).toEqual([
      [
        [
          [0.2, 0.2],
          [0.6, 0.2],
          [0.6, 0.7],
          [0.2, 0.2],
        ],
      ],
    ]);
  });

  test('the rubber band shows before the finger lifts', () => {
    const { host, shown } = noted();
    const tool = createPolygonTool(host, REACH);
    for (const [x, y] of SQUARE) tap(tool, x, y);
    expect(shown()?.isClosing).toBe(false);
    tool.down(0.2, 0.21);
    expect(shown()?.isClosing).toBe(true);
  });

  test('undo removes the last corner, and Escape removes all', () => {
    const { host, made, shown } = noted();
    const tool = createPolygonTool(host, REACH);
    for (const [x, y] of SQUARE) tap(tool, x, y);
    expect(tool.undoStep()).toBe(true);
    expect(shown()?.corners).toHaveLength(3);
    for (let left = 3; left > 0; left--) expect(tool.undoStep()).toBe(true);
    expect(tool.undoStep()).toBe(false);
    for (const [x, y] of SQUARE) tap(tool, x, y);
    tool.discard();
    expect(shown()).toBeNull();
    tool.confirm();
    expect(made).toEqual([]);
  });

  test('two corners or a straight line form no area and keep the corners', () => {
    const { host, made, said, shown } = noted();
    const tool = createPolygonTool(host, REACH);
    tap(tool, 0.1, 0.1);
    tap(tool, 0.5, 0.5);
    tool.confirm();
    expect(said).toEqual([AREA_MESSAGES.fewCorners]);
    expect(shown()?.corners).toHaveLength(2);
    tap(tool, 0.9, 0.9);
    tool.confirm();
    expect(said).toEqual([AREA_MESSAGES.fewCorners, AREA_MESSAGES.noArea]);
    expect(made).toEqual([]);
  });

  test('points beyond the border move to the border, and invalid points are ignored', () => {
    const { host, made } = noted();
    const tool = createPolygonTool(host, REACH);
    tap(tool, NaN, 0.5);
    tap(tool, -0.4, 0.5);
    tap(tool, 0.5, -3);
    tap(tool, 1.7, 1.2);
    tool.confirm();
    expect(made).toEqual([
      [
        [
          [0, 0.5],
          [0.5, 0],
          [1, 1],
          [0, 0.5],
        ],
      ],
    ]);
  });

  test('any ring is closed, has 5 decimals and stays in the picture', () => {
    const step = fc.oneof(
      fc.tuple(
        fc.constant('tap' as const),
        fc.double({ min: -0.5, max: 1.5, noNaN: true }),
        fc.double({ min: -0.5, max: 1.5, noNaN: true }),
      ),
      fc.tuple(
        fc.constantFrom(
          'confirm' as const,
          'back' as const,
          'leave' as const,
          'cancel' as const,
          'down' as const,
          'up' as const,
        ),
        fc.constant(0.4),
        fc.constant(0.4),
      ),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { host, made, shown } = noted();
        const tool = createPolygonTool(host, REACH);
        for (const [what, x, y] of steps) {
          if (what === 'tap') tap(tool, x, y);
          else if (what === 'confirm') tool.confirm();
          else if (what === 'back') tool.undoStep();
          else if (what === 'leave') tool.discard();
          else if (what === 'cancel') tool.cancel();
          else if (what === 'down') tool.down(x, y);
          else tool.up();
        }
        tool.discard();
        expect(shown()).toBeNull();
        for (const rings of made)
          for (const ring of rings) {
            expect(ring.length).toBeGreaterThanOrEqual(4);
            expect(ring.at(-1)).toEqual(ring[0]);
            for (const value of ring.flat())
              expect(value >= 0 && value <= 1 && Math.abs(value * 1e5 - Math.round(value * 1e5)) < 1e-6).toBe(true);
          }
      }),
      { numRuns: 200 },
    );
  });
});

describe('2§4 edge tool', () => {
  const finder = () => {
    const asked: {
      readonly to: Position;
      readonly answer: (way: Float64Array | null) => void;
      readonly fail: () => void;
    }[] = [];
    const edge = (fromX: number, fromY: number, toX: number, toY: number): Promise<Float64Array | null> =>
      new Promise((resolve, reject) =>
        asked.push({
          to: [toX, toY],
          answer: (way) => resolve(way ?? Float64Array.of(fromX, fromY, (fromX + toX) / 2, 0.9, toX, toY)),
          fail: () => reject(new Error('The worker crashed.')),
        }),
      );
    return { edge, asked };
  };

  test('the area follows the found lines, including the closing one', async () => {
    const { host, made } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    tap(tool, 0.2, 0.2);
    tap(tool, 0.6, 0.2);
    tap(tool, 0.5, 0.5);
    tool.confirm();
    for (let each = 0; each < 3; each++) {
      await settled();
      expect(made).toEqual([]);
      asked[each]?.answer(null);
    }
    await settled();
    expect(made).toEqual([
      [
        [
          [0.2, 0.2],
          [0.4, 0.9],
          [0.6, 0.2],
          [0.55, 0.9],
          [0.5, 0.5],
          [0.35, 0.9],
          [0.2, 0.2],
        ],
      ],
    ]);
  });

  test('only the latest line is traced while the finger moves, and late results change nothing', async () => {
    const { host, shown } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    tap(tool, 0.2, 0.2);
    tool.down(0.3, 0.3);
    await settled();
    for (let x = 0.31; x < 0.6; x += 0.01) tool.move(Float64Array.of(x, 0.3));
    tool.move(Float64Array.of(0.6, 0.3));
    asked[0]?.answer(Float64Array.of(0.2, 0.2, 0.1, 0.1, 0.3, 0.3));
    await settled();
    expect(asked.map(({ to }) => to)).toEqual([
      [0.3, 0.3],
      [0.6, 0.3],
    ]);
    asked[1]?.answer(null);
    await settled();
    expect(shown()?.line).toEqual([
      [0.2, 0.2],
      [0.4, 0.9],
      [0.6, 0.3],
    ]);
    tool.discard();
    expect(shown()).toBeNull();
  });

  test('the closing line is previewed along its edge once the finger is up, and follows the last corner', async () => {
    const { host, shown } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    const answerAll = async (): Promise<void> => {
      await settled();
      for (let each = 0; each < asked.length; each++) {
        asked[each]?.answer(null);
        await settled();
      }
    };
    tap(tool, 0.2, 0.2);
    tap(tool, 0.6, 0.2);
    await answerAll();
    expect(shown()?.closing).toEqual([]);
    tap(tool, 0.5, 0.5);
    await answerAll();
    expect(shown()?.closing).toEqual([
      [0.5, 0.5],
      [0.35, 0.9],
      [0.2, 0.2],
    ]);
    tool.down(0.3, 0.7);
    expect(shown()?.closing).toEqual([]);
    tool.up();
    await answerAll();
    expect(shown()?.closing).toEqual([
      [0.3, 0.7],
      [0.25, 0.9],
      [0.2, 0.2],
    ]);
    tool.undoStep();
    await answerAll();
    expect(shown()?.closing[0]).toEqual([0.5, 0.5]);
  });

  test('failed edge tracing is reported once and falls back to straight lines', async () => {
    const { host, made, said } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    for (const [x, y] of SQUARE) tap(tool, x, y);
    tool.confirm();
    for (let each = 0; each < 4; each++) {
      await settled();
      asked[each]?.fail();
    }
    await settled();
    expect(said).toEqual([EDGE_MESSAGE]);
    expect(made).toEqual([[RING]]);
  });

  test('a cancelled area does not come back with its lines', async () => {
    const { host, made, shown } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    for (const [x, y] of SQUARE) tap(tool, x, y);
    tool.confirm();
    tool.discard();
    for (let each = 0; each < 4; each++) {
      await settled();
      asked[each]?.answer(null);
    }
    await settled();
    expect(made).toEqual([]);
    expect(shown()).toBeNull();
  });

  test('lines of a cancelled outline do not count in the next one', async () => {
    const { host, made } = noted();
    const { edge, asked } = finder();
    const tool = createEdgeTool(host, REACH, { edge });
    for (const [x, y] of SQUARE) tap(tool, x, y);
    tool.discard();
    for (const [x, y] of SQUARE) tap(tool, x, y);
    tool.confirm();
    // Three lines of the first and its preview, four of the second with the closing one.
    for (let each = 0; each < 8; each++) {
      await settled();
      expect(made).toEqual([]);
      asked[each]?.answer(null);
    }
    await settled();
    expect(made).toHaveLength(1);
    expect(made[0]?.[0]).toHaveLength(9);
  });
});

describe('2§4 tap to fill', () => {
  const HOLE = [
    Float64Array.of(0.2, 0.2, 0.6, 0.2, 0.6, 0.7, 0.2, 0.7),
    Float64Array.of(0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5, 0.3),
  ];
  const finder = () => {
    const asked: { readonly by: number; readonly answer: (found: FoundArea) => void; readonly fail: () => void }[] = [];
    const area = (_x: number, _y: number, by: number): Promise<FoundArea> =>
      new Promise((resolve, reject) =>
        asked.push({ by, answer: resolve, fail: () => reject(new Error('The worker crashed.')) }),
      );
    return { area, asked };
  };

  test('a found area is painted with its holes, before or after the finger lifts', async () => {
    for (const isLate of [false, true]) {
      const { host, made, shown } = noted();
      const { area, asked } = finder();
      const tool = createTapTool(host, { area });
      tool.down(0.4, 0.25);
      if (isLate) tool.up();
      asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
      await settled();
      if (!isLate) {
        expect(made).toEqual([]);
        expect(shown()?.line).toHaveLength(5);
        tool.up();
      }
      expect(made).toEqual([
        [
          RING,
          [
            [0.3, 0.3],
            [0.3, 0.5],
            [0.5, 0.5],
            [0.5, 0.3],
            [0.3, 0.3],
          ],
        ],
      ]);
      expect(shown()).toBeNull();
    }
  });

  test('a drag right or up takes in more, left or down less, and only the latest drag counts', async () => {
    const { host, made } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    tool.move(Float64Array.of(0.405, 0.4));
    tool.move(Float64Array.of(0.45, 0.4));
    tool.move(Float64Array.of(0.4, 0.3));
    asked[0]?.answer({ state: 'everything' });
    await settled();
    tool.move(Float64Array.of(0.3, 0.4));
    tool.up();
    asked[1]?.answer({ state: 'everything' });
    await settled();
    asked[2]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    expect(asked.map(({ by }) => by)).toEqual([0, 30, -30]);
    expect(made).toHaveLength(1);
  });

  test('reports why nothing was painted', async () => {
    const answers: readonly (readonly [FoundArea, string])[] = [
      [{ state: 'nothing' }, TAP_MESSAGES.nothing],
      [{ state: 'everything' }, TAP_MESSAGES.everything],
      [{ state: 'no-picture' }, TAP_MESSAGES.unready],
      [
        { state: 'found', rings: [Float64Array.of(0.1, 0.1, 0.10001, 0.1, 0.1, 0.1)], part: 0.001 },
        TAP_MESSAGES.nothing,
      ],
    ];
    const { host, made, said } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    for (const [found, words] of answers) {
      tap(tool, 0.5, 0.5);
      asked.at(-1)?.answer(found);
      await settled();
      expect(said.at(-1)).toBe(words);
    }
    tap(tool, 0.5, 0.5);
    asked.at(-1)?.fail();
    await settled();
    expect(said.at(-1)).toBe(TAP_MESSAGES.failed);
    expect(made).toEqual([]);
  });

  test('a cancelled fill paints no late result', async () => {
    const { host, made, shown } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    expect(tool.undoStep()).toBe(true);
    asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    tool.up();
    expect(tool.undoStep()).toBe(false);
    expect(made).toEqual([]);
    expect(shown()).toBeNull();
  });

  test('the next fill does not paint the result of a cancelled one', async () => {
    const { host, made, said } = noted();
    const { area, asked } = finder();
    const tool = createTapTool(host, { area });
    tool.down(0.4, 0.4);
    tool.discard();
    tap(tool, 0.8, 0.8);
    asked[0]?.answer({ state: 'found', rings: HOLE, part: 0.1 });
    await settled();
    expect(made).toEqual([]);
    asked[1]?.answer({ state: 'nothing' });
    await settled();
    expect(made).toEqual([]);
    expect(said).toEqual([TAP_MESSAGES.nothing]);
  });
});
