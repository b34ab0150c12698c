import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COST_MAX, edgeCosts } from './edge-cost';
import { buildWireTree, wirePath } from './live-wire';

const WIDTH = 19;
const HEIGHT = 14;
const costsOf = fc.uint8Array({ minLength: WIDTH * HEIGHT, maxLength: WIDTH * HEIGHT, min: 1, max: COST_MAX });

const price = (costs: Uint8Array, x: number, y: number, dx: number, dy: number): number =>
  costs[y * WIDTH + x]! * (dx === 0 || dy === 0 ? 5 : 7);

/** Cheapest cost to each pixel, by relaxation until nothing changes; only over pixels within reach. */
function brute(costs: Uint8Array, fromX: number, fromY: number, reach: number): number[] {
  const totals = new Array<number>(costs.length).fill(Infinity);
  totals[fromY * WIDTH + fromX] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        if (Math.abs(x - fromX) > reach || Math.abs(y - fromY) > reach) continue;
        for (let dy = -1; dy <= 1; dy++)
          for (let dx = -1; dx <= 1; dx++) {
            const [px, py] = [x - dx, y - dy];
            if ((dx === 0 && dy === 0) || px < 0 || px >= WIDTH || py < 0 || py >= HEIGHT) continue;
            const sum = totals[py * WIDTH + px]! + price(costs, x, y, dx, dy);
            if (sum < totals[y * WIDTH + x]!) {
              totals[y * WIDTH + x] = sum;
              changed = true;
            }
          }
      }
  }
  return totals;
}

describe('2§4 edge tool: the line follows the cheapest path', () => {
  test('no path to any pixel of the window is cheaper than the one returned', () => {
    fc.assert(
      fc.property(
        costsOf,
        fc.nat(WIDTH - 1),
        fc.nat(HEIGHT - 1),
        fc.integer({ min: 2, max: 20 }),
        (costs, fromX, fromY, reach) => {
          const tree = buildWireTree({ width: WIDTH, height: HEIGHT, costs }, fromX, fromY, reach);
          const totals = brute(costs, fromX, fromY, reach);
          for (let y = 0; y < HEIGHT; y++)
            for (let x = 0; x < WIDTH; x++) {
              if (Math.abs(x - fromX) > reach || Math.abs(y - fromY) > reach) continue;
              const way = wirePath(tree, x, y);
              expect([way[0], way[1]]).toEqual([fromX, fromY]);
              expect([way.at(-2), way.at(-1)]).toEqual([x, y]);
              let sum = 0;
              for (let at = 2; at < way.length; at += 2) {
                const [dx, dy] = [way[at]! - way[at - 2]!, way[at + 1]! - way[at - 1]!];
                expect(Math.max(Math.abs(dx), Math.abs(dy))).toBe(1);
                sum += price(costs, way[at]!, way[at + 1]!, dx, dy);
              }
              expect(sum).toBe(totals[y * WIDTH + x]);
            }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a point outside the window is approached as far as the window goes', () => {
    const tree = buildWireTree(
      { width: WIDTH, height: HEIGHT, costs: new Uint8Array(WIDTH * HEIGHT).fill(9) },
      9,
      7,
      3,
    );
    const way = wirePath(tree, 400, -20);
    expect([way.at(-2), way.at(-1)]).toEqual([12, 4]);
  });

  test('the line between two corners of a square follows its sides', () => {
    const size = 80;
    const data = new Uint8ClampedArray(size * size * 4);
    for (let at = 0; at < size * size; at++) {
      const [x, y] = [at % size, Math.floor(at / size)];
      data.set(x >= 20 && x < 60 && y >= 20 && y < 60 ? [170, 120, 60, 255] : [40, 110, 170, 255], at * 4);
    }
    const costs = edgeCosts({ width: size, height: size, data });
    const way = wirePath(buildWireTree(costs, 20, 20, 70), 59, 59);
    for (let at = 0; at < way.length; at += 2)
      expect(
        Math.min(...[way[at]!, way[at + 1]!].flatMap((value) => [Math.abs(value - 19.5), Math.abs(value - 59.5)])),
      ).toBeLessThanOrEqual(1.5);
  });

  test('a picture of one colour has a cost for each pixel, and the line is straight', () => {
    const costs = edgeCosts({ width: 40, height: 30, data: new Uint8ClampedArray(40 * 30 * 4).fill(120) });
    expect(costs.costs.every((cost) => cost >= 1 && cost <= COST_MAX)).toBe(true);
    expect(wirePath(buildWireTree(costs, 3, 15, 50), 30, 15)).toHaveLength(28 * 2);
  });
});
