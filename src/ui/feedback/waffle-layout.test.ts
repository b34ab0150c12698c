import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waffleLayout } from './waffle-layout';

describe('waffle', () => {
  it('3§2 every photograph has a cell, and every cell is in its place', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 1, max: 1400 }),
        fc.constantFrom(25, 50),
        (count, width, perRow) => {
          const { perRow: fits, rows, pitch, cell, height } = waffleLayout(count, width, perRow);
          expect(fits * rows).toBeGreaterThanOrEqual(count);
          expect((fits - 1) * pitch + cell).toBeLessThanOrEqual(width + 1e-6);
          if (rows > 0) expect((rows - 1) * pitch + cell).toBeLessThanOrEqual(height + 1e-6);
        },
      ),
    );
  });

  it('3§2 500 photographs are ten lines of fifty on a tablet, with visible cells at any size', () => {
    expect(waffleLayout(500, 640, 50)).toMatchObject({ perRow: 50, rows: 10 });
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 1400 }), (width) => {
        expect(waffleLayout(500, width, 50).cell).toBeGreaterThanOrEqual(2.9);
      }),
    );
  });
});
