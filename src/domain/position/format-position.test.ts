import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAge, formatBearing, formatDegreesMinutes, formatPosition } from './format-position';

describe('1§3 Edge stats: a position in sailors’ notation', () => {
  test.each([
    [-16.865, 146.2233, '16° 51.9′ S 146° 13.4′ E'],
    [16.99999, -0.00001, '17° 00.0′ N 0° 00.0′ E'],
    [-0.5, -179.9999, '0° 30.0′ S 180° 00.0′ W'],
    [5.0833, 181, '5° 05.0′ N 179° 00.0′ W'],
  ])('%d, %d', (lat, lng, words) => {
    expect(formatPosition(lat, lng)).toBe(words);
  });

  test('an invalid position has no text', () => {
    for (const [lat, lng] of [
      [91, 0],
      [Number.NaN, 0],
      [0, Infinity],
    ] as const)
      expect(formatPosition(lat, lng)).toBeNull();
  });

  test('minutes stay below 60 and within a twentieth of a minute of the position', () => {
    fc.assert(
      fc.property(fc.double({ min: -90, max: 90, noNaN: true }), (lat) => {
        const [, degrees, minutes, side] =
          /^(\d+)° (\d\d\.\d)′ ([NS])$/.exec(formatDegreesMinutes(lat, 'N', 'S')) ?? [];
        const said = (Number(degrees) + Number(minutes) / 60) * (side === 'S' ? -1 : 1);
        return Number(minutes) < 60 && Math.abs(said - lat) <= 0.05 / 60 + 1e-9;
      }),
    );
  });

  test('directions and ages are formatted', () => {
    expect([formatBearing(34.2), formatBearing(359.7), formatBearing(-90), formatBearing(Number.NaN)]).toEqual([
      '034°',
      '000°',
      '270°',
      null,
    ]);
    expect([-5, 6200, 89_000, 240_000, 7_200_000, 260_000_000].map(formatAge)).toEqual([
      '0 s',
      '6 s',
      '89 s',
      '4 min',
      '2 h',
      '3 days',
    ]);
  });
});
