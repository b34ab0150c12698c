import { expect, test } from 'vitest';
import { SCALE_MAX, WHOLE, moveBy, zoomAt } from './zoom-view';

const stage = { width: 400, height: 300 };

test('3§3 image: zooming keeps the point under the fingers in place', () => {
  const view = zoomAt(WHOLE, stage, { x: 100, y: 150 }, 2);
  expect(view).toEqual({ scale: 2, x: -100, y: -150 });
  expect(zoomAt(view, stage, { x: 100, y: 150 }, 0.5)).toEqual({ scale: 1, x: 0, y: 0 });
});

test('a picture never leaves its stage and is never smaller than it', () => {
  expect(zoomAt(WHOLE, stage, { x: 0, y: 0 }, 0.2)).toEqual({ scale: 1, x: 0, y: 0 });
  expect(zoomAt(WHOLE, stage, { x: 0, y: 0 }, 99).scale).toBe(SCALE_MAX);
  const view = zoomAt(WHOLE, stage, { x: 0, y: 0 }, 2);
  expect(moveBy(view, stage, { x: 50, y: -1000 })).toEqual({ scale: 2, x: 0, y: -300 });
});
