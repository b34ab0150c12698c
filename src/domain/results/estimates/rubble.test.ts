import { expect, test } from 'vitest';
import type { PhotographFigure } from '../photograph-figure';
import { rubbleEstimate, rubbleSite, surveyRubble } from './rubble';

const figure = (imageId: string, rubble: number, unknown: number, facts: Partial<PhotographFigure> = {}) =>
  ({
    imageId,
    surveyId: 's',
    shares: { branching: 0, plating: 0, massive: 0, other: 0, rubble, none: 1 - rubble - unknown, unknown },
    variances: { branching: 0, plating: 0, massive: 0, other: 0, rubble: 0, none: 0, unknown: 0 },
    analysts: ['a'],
    isBad: false,
    agreement: 1,
    hasRubble: true,
    ...facts,
  }) satisfies PhotographFigure;

test('1§3 rubble is the share of what is known, of photographs whose class sets have it', () => {
  const photographs = [
    figure('b', 0.3, 0.4),
    figure('a', 0.2, 0),
    figure('c', 1, 0, { hasRubble: false }),
    figure('d', 1, 0, { isBad: true }),
    figure('e', 0.01, 0.98),
  ];
  const sum = surveyRubble(photographs);
  expect(sum?.photographs).toBe(2);
  expect(sum?.probability).toBeCloseTo(0.7, 12);
  expect(sum?.analysts).toEqual(['a']);
  expect(surveyRubble([...photographs].reverse()), 'in any order').toEqual(sum);
  expect(surveyRubble([figure('c', 1, 0, { hasRubble: false })])).toBeNull();
});

test('1§3, 3§2 the mean of a site has an interval, which narrows with photographs and holds where all are alike', () => {
  const of = (photographs: number, probability: number, variance = 0) =>
    rubbleEstimate([{ photographs, probability: photographs * probability, variance, analysts: ['a'] }]);
  // The interval of Wilson for 5 of 10.
  expect(of(10, 0.5)).toEqual({ value: 50, low: 23.6, high: 76.4 });
  const [few, many] = [of(4, 0.25), of(400, 0.25)];
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 4);
  expect(of(6, 0)).toMatchObject({ value: 0, low: 0 });
  expect(of(6, 0).high).toBeGreaterThan(30);
  expect(of(10, 0.5, 0.5).high, 'analysts are not sure').toBeGreaterThan(76.4);
  const parts = [0.2, 0.4].map((probability) => ({
    photographs: 5,
    probability: 5 * probability,
    variance: 0,
    analysts: [],
  }));
  expect(rubbleEstimate(parts)).toEqual(of(10, 0.3));
});

test('3§6 a rubble site is a cell of a grid: near the survey, and not its position', () => {
  const site = rubbleSite(146.54321, -16.54321);
  expect(Math.abs(site.longitude - 146.54321)).toBeLessThanOrEqual(0.001);
  expect(Math.abs(site.latitude + 16.54321)).toBeLessThanOrEqual(0.001);
  expect(rubbleSite(146.5437, -16.5437)).toEqual(site);
  expect(rubbleSite(146.5457, -16.5437).id).not.toBe(site.id);
  for (const [longitude, latitude] of [
    [180, 90],
    [-180, -90],
    [179.9999, 0],
  ] as const) {
    const { longitude: x, latitude: y } = rubbleSite(longitude, latitude);
    expect(Math.abs(x)).toBeLessThanOrEqual(180);
    expect(Math.abs(y)).toBeLessThanOrEqual(90);
  }
});
