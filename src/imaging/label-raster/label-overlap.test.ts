import { expect, test } from 'vitest';
import { sharedPixels } from './label-overlap';

test('pixels of a class are counted in both pictures, at the size of the second', () => {
  const painted = { labels: Uint8Array.of(1, 1, 0, 2, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0), width: 4, height: 4 };
  const truth = { labels: Uint8Array.of(5, 0, 0, 0), width: 2, height: 2 };
  const is = (...labels: number[]): boolean[] => Array.from({ length: 8 }, (_, label) => labels.includes(label));
  expect(sharedPixels(painted, truth, is(1), is(5))).toEqual({ first: 1, second: 1, both: 1 });
  expect(sharedPixels(painted, truth, is(2), is(5))).toEqual({ first: 1, second: 1, both: 0 });
  expect(sharedPixels(painted, truth, is(1, 2), is(5, 0))).toEqual({ first: 2, second: 4, both: 2 });
  expect(sharedPixels(truth, painted, is(5), is(1))).toEqual({ first: 4, second: 4, both: 4 });
});
