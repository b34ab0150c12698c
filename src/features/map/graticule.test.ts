import { describe, expect, test } from 'vitest';
import { graticule, graticuleFeatures, labelledLines, scaleMiles, graticuleStep } from './graticule';

describe('1§2 Map view: the graticule of a chart', () => {
  test('a view has a few lines each way, at round minutes', () => {
    const lines = graticule({ west: 146.02, east: 146.4, south: -17.05, north: -16.7 });
    expect(lines.filter(({ kind }) => kind === 'meridian').map(({ label }) => label)).toEqual([
      '146° 10′ E',
      '146° 20′ E',
    ]);
    expect(lines.filter(({ kind }) => kind === 'parallel').map(({ label }) => label)).toEqual(['17° S', '16° 50′ S']);
  });

  test('meridians keep their names across the date line', () => {
    expect(
      graticule({ west: 178, east: 182, south: -2, north: 2 })
        .filter(({ kind }) => kind === 'meridian')
        .map(({ label }) => label),
    ).toEqual(['178° E', '179° E', '180° W', '179° W', '178° W']);
  });

  test('labels overlap neither each other nor those of the other edge', () => {
    const line = (kind: 'meridian' | 'parallel', at: number) => ({ kind, at });
    const shown = labelledLines(
      [
        line('meridian', 20),
        line('meridian', 60),
        line('meridian', 130),
        line('meridian', 160),
        line('parallel', 100),
        line('parallel', 230),
      ],
      { width: 390, height: 260 },
    );
    expect(shown.map(({ kind, at }) => `${kind} ${at}`)).toEqual(['meridian 60', 'parallel 100', 'meridian 160']);
  });

  test('any span from the earth to an anchorage has one to six lines each way', () => {
    for (const span of [360, 90, 11, 1, 0.2, 0.02]) {
      const lines = graticule({ west: 0.001, east: 0.001 + span, south: 0.001, north: 0.001 + span / 2 });
      for (const kind of ['meridian', 'parallel'] as const)
        expect(lines.filter((line) => line.kind === kind).length).toBeLessThanOrEqual(6);
      expect(lines.length).toBeGreaterThan(1);
    }
    expect(graticuleStep(1)).toBe(1 / 3);
  });

  test('an empty span has no lines, and lines end at the edges', () => {
    expect(graticule({ west: 1, east: 1, south: 1, north: 1 })).toEqual([]);
    const [first] = graticuleFeatures({ west: 10, east: 14, south: 0, north: 3 }).features;
    expect(first?.geometry.coordinates).toEqual([
      [10, 0],
      [10, 3],
    ]);
  });

  test('the scale is a round number of miles', () => {
    expect([37, 7, 4.9, 1, 0.34, 0, Number.NaN].map(scaleMiles)).toEqual([20, 5, 2, 1, 0.2, 0, 0]);
  });
});
