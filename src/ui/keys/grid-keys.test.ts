import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridStep } from './grid-keys';

const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];
const grids = fc
  .record({ count: fc.integer({ min: 1, max: 600 }), perRow: fc.integer({ min: 1, max: 9 }), at: fc.nat(599) })
  .map(({ count, perRow, at }) => ({ count, perRow, index: at % count }));

describe('keys in a grid', () => {
  it('3§2 no key leaves the grid', () => {
    fc.assert(
      fc.property(grids, fc.constantFrom(...KEYS), fc.boolean(), ({ count, perRow, index }, key, ctrl) => {
        const to = gridStep(key, index, { count, perRow, ctrl });
        expect(to).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThan(count);
      }),
    );
  });

  it('3§2 up reverses down, except from the end of a short last line', () => {
    fc.assert(
      fc.property(grids, ({ count, perRow, index }) => {
        const below = gridStep('ArrowDown', index, { count, perRow });
        if (index + perRow >= count) return;
        expect(below).toBe(index + perRow);
        expect(gridStep('ArrowUp', below ?? -1, { count, perRow })).toBe(index);
      }),
    );
  });

  it('3§2 arrows alone reach every cell from the first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 8 }), (count, perRow) => {
        const reached = new Set([0]);
        for (const index of reached)
          for (const key of ['ArrowRight', 'ArrowDown']) reached.add(gridStep(key, index, { count, perRow }) ?? 0);
        expect(reached.size).toBe(count);
      }),
    );
  });

  it('3§2 down from above a short last line reaches its last cell, and edges stop', () => {
    const grid = { count: 12, perRow: 5 };
    expect(gridStep('ArrowDown', 9, grid)).toBe(11);
    expect(gridStep('ArrowDown', 11, grid)).toBe(11);
    expect(gridStep('ArrowUp', 3, grid)).toBe(3);
    expect(gridStep('ArrowLeft', 0, grid)).toBe(0);
    expect(gridStep('End', 5, grid)).toBe(9);
    expect(gridStep('End', 10, grid)).toBe(11);
    expect(gridStep('Home', 8, grid)).toBe(5);
    expect(gridStep('Home', 8, { ...grid, ctrl: true })).toBe(0);
    expect(gridStep('PageDown', 1, { ...grid, pageRows: 2 })).toBe(11);
    expect(gridStep('x', 1, grid)).toBeNull();
    expect(gridStep('ArrowLeft', 0, { count: 0, perRow: 5 })).toBeNull();
  });
});
