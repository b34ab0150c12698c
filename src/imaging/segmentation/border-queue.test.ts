import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BorderQueue } from './border-queue';

const BORDERS = 40;

/** Cost to put, or undefined to drop; -1 takes the least. */
const steps = fc.array(
  fc.tuple(fc.nat(BORDERS - 1), fc.oneof(fc.constant(undefined), fc.constant(-1), fc.integer({ min: 0, max: 9 }))),
  { maxLength: 300 },
);

test('2§4 outlines without a model: the border that costs least is taken, ties by number', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new BorderQueue(BORDERS);
      const costs = new Map<number, number>();
      const least = (): number => [...costs].sort((one, other) => one[1] - other[1] || one[0] - other[0])[0]?.[0] ?? -1;
      for (const [border, cost] of all) {
        if (cost === undefined) {
          queue.drop(border);
          costs.delete(border);
        } else if (cost === -1) {
          const expected = least();
          expect(queue.take()).toBe(expected);
          costs.delete(expected);
        } else {
          queue.put(border, cost);
          costs.set(border, cost);
        }
      }
      for (let expected = least(); expected !== -1; costs.delete(expected), expected = least())
        expect(queue.take()).toBe(expected);
      expect(queue.take()).toBe(-1);
    }),
  );
});
