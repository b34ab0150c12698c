import { describe, expect, test } from 'vitest';
import { RING, REACH, SQUARE, noted, settled, tap } from '../../../../tests/support/area-tool-host';
import type { Position } from '../../../domain/geobuf/geojson';
import { createEdgeTool, EDGE_MESSAGE } from './edge-tool';

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
