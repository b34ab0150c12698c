import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TileCache, areaOf, levelFor, levelsOf, visibleTiles, needsFinerSource } from './tile-plan';

const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

describe('2§9: image sizes 4000, 2000 and 800 as levels of tiles', () => {
  test('a picture has as many levels as its px allow, and the coarsest sharp one is shown', () => {
    expect(levelsOf({ width: 4000, height: 3000 })).toEqual([
      { width: 2000, height: 1500 },
      { width: 4000, height: 3000 },
    ]);
    expect(levelsOf({ width: 1500, height: 3000 })).toEqual([
      { width: 1000, height: 2000 },
      { width: 1500, height: 3000 },
    ]);
    expect(levelsOf({ width: 800, height: 600 })).toEqual([]);
    const levels = levelsOf({ width: 4000, height: 3000 });
    const overview = { width: 800, height: 600 };
    expect([700, 900, 1000, 2000, 2400, 9000].map((pixels) => levelFor(levels, overview, pixels))).toEqual([
      -1, -1, 0, 0, 1, 1,
    ]);
    expect(levelFor([], overview, 9000)).toBe(-1);
    expect([4000, 5000].map((pixels) => needsFinerSource({ width: 4000, height: 3000 }, pixels))).toEqual([
      false,
      true,
    ]);
  });

  test('tiles cover the view, overlap their neighbours and stay in the picture', () => {
    const side = fc.integer({ min: 1, max: 4000 });
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(side, side, part, part, part, part, (width, height, a, b, c, d) => {
        const shown = { width, height };
        const seen = { left: Math.min(a, b), right: Math.max(a, b), top: Math.min(c, d), bottom: Math.max(c, d) };
        for (const [level, size] of levelsOf(shown).entries()) {
          const tiles = visibleTiles(level, size, seen);
          const places = tiles.map((tile) => areaOf(tile, size, shown));
          for (const { cut } of places) {
            expect(cut.x >= 0 && cut.y >= 0 && cut.x + cut.width <= width && cut.y + cut.height <= height).toBe(true);
            expect(cut.toWidth >= 1 && cut.toHeight >= 1).toBe(true);
          }
          for (const [x, y] of [
            [seen.left, seen.top],
            [seen.right, seen.bottom],
            [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2],
          ] as const) {
            // Slivers thinner than floating-point precision show nothing.
            if (seen.right - seen.left < 1e-9 || seen.bottom - seen.top < 1e-9) continue;
            expect(
              places.some(
                ({ place }) =>
                  x >= place.left - 1e-9 &&
                  x <= place.right + 1e-9 &&
                  y >= place.top - 1e-9 &&
                  y <= place.bottom + 1e-9,
              ),
            ).toBe(true);
          }
        }
      }),
    );
    expect(visibleTiles(0, { width: 2000, height: 1500 }, WHOLE)).toHaveLength(12);
    expect(visibleTiles(0, { width: 2000, height: 1500 }, { left: 0.4, top: 0.4, right: 0.41, bottom: 0.41 })).toEqual([
      { level: 0, column: 1, row: 1 },
    ]);
    expect(visibleTiles(0, { width: 1536, height: 1536 }, WHOLE)[0]).toEqual({ level: 0, column: 1, row: 1 });
  });

  test('the store stays within its budget, and least recently used tiles are closed once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 40 }), fc.boolean()), { maxLength: 60 }),
        (steps) => {
          const store = new TileCache<{ close: () => void }>(100);
          const open = new Set<object>();
          const held = new Map<string, number>();
          for (const [name, bytes, isRead] of steps) {
            const key = String(name);
            if (isRead) {
              expect(store.get(key) !== undefined).toBe(held.has(key));
              continue;
            }
            const thing = {
              close: () => {
                expect(open.delete(thing)).toBe(true);
                held.delete(key);
              },
            };
            open.add(thing);
            store.put(key, thing, bytes, new Set(['0']));
            held.set(key, bytes);
            const total = [...held.values()].reduce((sum, each) => sum + each, 0);
            expect(total <= 100 || held.size <= 2).toBe(true);
            expect(open.size).toBe(held.size);
          }
        },
      ),
    );
    const store = new TileCache<{ close: () => void }>(10);
    const put = (key: string): void => store.put(key, { close: () => undefined }, 5, new Set());
    put('a');
    put('b');
    store.get('a');
    put('c');
    expect(['a', 'b', 'c'].map((key) => store.get(key) !== undefined)).toEqual([true, false, true]);
  });
});
