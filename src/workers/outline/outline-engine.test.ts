import { expect, test } from 'vitest';
import { sceneOf } from '../../imaging/reef-renderer/habitats';
import { renderReef } from '../../imaging/reef-renderer/render-reef';
import { createOutlineEngine } from './outline-engine';

const filled = (width: number, height: number, colourAt: (x: number, y: number) => readonly number[]) => {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++) data.set([...colourAt(at % width, Math.floor(at / width)), 255], at * 4);
  return { width, height, data };
};

test('2§4 tap to fill: a flat colour fills the picture, and a missing picture is reported', () => {
  const engine = createOutlineEngine();
  expect(engine.area(0.5, 0.5, 0)).toEqual({ state: 'no-picture' });
  expect(engine.edge(0.1, 0.1, 0.2, 0.2)).toBeNull();
  expect(engine.hasPicture('a')).toBe(false);
  engine.setPicture(
    'a',
    filled(200, 150, () => [40, 90, 140]),
  );
  expect(engine.hasPicture('a')).toBe(true);
  expect(engine.area(0.5, 0.5, 0)).toEqual({ state: 'everything' });
});

test('2§4 tap to fill: noise yields no connected area', () => {
  let seed = 3;
  const engine = createOutlineEngine();
  engine.setPicture(
    'noise',
    filled(200, 150, () =>
      Array.from({ length: 3 }, () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24),
    ),
  );
  expect(engine.area(0.5, 0.5, -130)).toEqual({ state: 'nothing' });
});

test('2§4 tap to fill: a new picture replaces the previous one', () => {
  const engine = createOutlineEngine();
  const square = (of: number) =>
    filled(200, 150, (x, y) => (Math.abs(x - of) < 30 && Math.abs(y - 75) < 30 ? [180, 120, 60] : [30, 100, 160]));
  engine.setPicture('a', square(60));
  const first = engine.area(0.3, 0.5, 0);
  engine.setPicture('b', square(140));
  const second = engine.area(0.7, 0.5, 0);
  const places = (found: typeof first) =>
    found.state === 'found' ? [...(found.rings[0] ?? [])].filter((_, at) => at % 2 === 0) : [];
  expect(Math.max(...places(first))).toBeLessThan(0.5);
  expect(Math.min(...places(second))).toBeGreaterThan(0.5);
});

test('2§4 edge tool: the line has the given ends and stays in the picture', () => {
  const { width, height, rgb } = renderReef(sceneOf('bommie', 2, { width: 320, height: 240 }));
  const engine = createOutlineEngine();
  engine.setPicture(
    'reef',
    filled(width, height, (x, y) => [...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]),
  );
  for (const [x, y] of [
    [0.52, 0.61],
    [0.999, 0.001],
    [0.3, 0.3],
  ] as const) {
    const way = engine.edge(0.3, 0.3, x, y);
    expect([...(way ?? [])].slice(0, 2)).toEqual([0.3, 0.3]);
    expect([...(way ?? [])].slice(-2)).toEqual([x, y]);
    expect((way ?? []).every((value) => value >= 0 && value <= 1)).toBe(true);
  }
});
