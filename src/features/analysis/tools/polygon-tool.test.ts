import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RING, REACH, SQUARE, noted, tap } from '../../../../tests/support/area-tool-host';
import { AREA_MESSAGES, createPolygonTool } from './polygon-tool';
import type { Tool } from './tool';

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
