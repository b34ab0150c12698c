import { describe, expect, test } from 'vitest';
import { mercatorX, mercatorY } from '../../../geo/mercator';
import { fitView, worldSize } from '../report/fit-view';
import type { ReportColours } from '../report/report-colours';
import { paintFirstPicture, type PictureOfReefs } from './paint-first-picture';

const colours = {
  sea: 'sea',
  land: 'land',
  coast: 'coast',
  reef: 'plain',
  reefLine: 'line',
  halo: 'without',
  edge: 'edge',
  bands: ['b0', 'b1', 'b2', 'b3', 'b4'],
} as unknown as ReportColours;
const insets = { top: 0, right: 0, bottom: 0, left: 100 };
const size = { width: 600, height: 400 };
const picture: PictureOfReefs = {
  bounds: [140, -20, 150, -10],
  rows: [0, 3, 7, 9],
  longitudes: [145, 146, 147, 148],
  latitudes: [-15, -16, -17, -18],
  results: [
    { row: 3, cover: { value: 34 } },
    { row: 7, cover: null },
    { row: 9, cover: { value: 75 } },
  ],
  outlines: [{ row: 9, ring: [148, -18, 148.1, -18, 148.1, -18.1] }],
  land: [[140, -10, 141, -10, 141, -20]],
};

/** Notes each shape with its colour. */
function recorder() {
  const shapes: { fill: string; at: readonly [number, number] }[] = [];
  let at: readonly [number, number] = [0, 0];
  const draw = {
    fillStyle: '',
    strokeStyle: '',
    lineWidth: 1,
    fillRect: () => void shapes.push({ fill: draw.fillStyle, at: [0, 0] }),
    beginPath: () => undefined,
    moveTo: (x: number, y: number) => void (at = [x, y]),
    lineTo: () => undefined,
    closePath: () => undefined,
    fill: () => void shapes.push({ fill: draw.fillStyle, at }),
    stroke: () => undefined,
    arc: (x: number, y: number) => void (at = [x, y]),
  };
  return { draw, shapes };
}

describe('3§2, 3§9 the first picture', () => {
  test('reefs have the colours of their covers, above those without a result', () => {
    const { draw, shapes } = recorder();
    paintFirstPicture(draw, picture, { size, insets, bounds: picture.bounds, startView: null, colours });
    expect(shapes.map(({ fill }) => fill)).toEqual(['sea', 'land', 'b4', 'plain', 'b2', 'without']);
  });

  test('a reef is where the map will draw it, at the first view or that of the address', () => {
    for (const startView of [null, { longitude: 146, latitude: -16, zoom: 7 }]) {
      const { draw, shapes } = recorder();
      paintFirstPicture(draw, picture, { size, insets, bounds: picture.bounds, startView, colours });
      const view = startView ?? fitView(picture.bounds, size, insets);
      const world = worldSize(view.zoom);
      const [x, y] = shapes.find(({ fill }) => fill === 'b2')?.at ?? [];
      expect(x).toBeCloseTo((mercatorX(146) - mercatorX(view.longitude)) * world + 300, 6);
      expect(y).toBeCloseTo((mercatorY(-16) - mercatorY(view.latitude)) * world + 200, 6);
    }
  });
});
