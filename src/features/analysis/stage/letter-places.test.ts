import { expect, test } from 'vitest';
import { letterPlaces } from './letter-places';

const raster = (width: number, height: number, labelAt: (x: number, y: number) => number): Uint8Array =>
  Uint8Array.from({ length: width * height }, (_, at) => labelAt(at % width, Math.floor(at / width)));

test('2§2 free-draw: each larger area has a letter inside, away from its edge', () => {
  const places = letterPlaces(
    raster(640, 480, (x, y) => (x < 200 ? 3 : Math.hypot(x - 450, y - 240) < 100 ? 7 : 0)),
    640,
    480,
  );
  expect(places.map(({ label }) => label)).toEqual([3, 7]);
  expect(places[0]!.x).toBeGreaterThan(0.1);
  expect(places[0]!.x).toBeLessThan(0.22);
  expect(places[1]!.x).toBeCloseTo(450 / 640, 1);
  expect(places[1]!.y).toBeCloseTo(0.5, 1);
});

test('2§2 free-draw: two areas of one class have a letter each, and a speck has none', () => {
  const labels = raster(640, 480, (x, y) => (x < 100 || x > 540 ? 5 : x > 300 && x < 310 && y < 10 ? 9 : 0));
  expect(letterPlaces(labels, 640, 480).map(({ label }) => label)).toEqual([5, 5]);
  expect(letterPlaces(new Uint8Array(16), 4, 4)).toEqual([]);
});

test('2§2 free-draw: the letter of a ring is on the ring', () => {
  const [place] = letterPlaces(
    raster(640, 640, (x, y) => (Math.abs(Math.hypot(x - 320, y - 320) - 200) < 40 ? 2 : 0)),
    640,
    640,
  );
  expect(Math.abs(Math.hypot(place!.x * 640 - 320, place!.y * 640 - 320) - 200)).toBeLessThan(40);
});
