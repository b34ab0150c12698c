import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceKm } from './geo-point';
import { formatChartPosition } from './format-position';
import { parsePosition } from './parse-position';

const near = (latitude: number, longitude: number) => ({
  ok: true,
  point: { latitude: expect.closeTo(latitude, 7) as number, longitude: expect.closeTo(longitude, 7) as number },
});

describe('3§3 _geoloc: a typed position', () => {
  it.each([
    ['-16.874315, 146.212967', -16.874315, 146.212967],
    ['-16.874315 146.212967', -16.874315, 146.212967],
    ['-16.874315,146.212967', -16.874315, 146.212967],
    ['16.874315 S, 146.212967 E', -16.874315, 146.212967],
    ['S16.874315 E146.212967', -16.874315, 146.212967],
    ['146.212967 E 16.874315 S', -16.874315, 146.212967],
    ['16° 52.4589′ S, 146° 12.77802′ E', -16.874315, 146.212967],
    ["16°52.4589'S 146°12.77802'E", -16.874315, 146.212967],
    ['16 52.4589 s 146 12.77802 e', -16.874315, 146.212967],
    ['-16 52.4589 146 12.77802', -16.874315, 146.212967],
    ['16º 30’ 36” S ; 146º 15’ 00” E', -16.51, 146.25],
    ['Lat: 16.5 south, Long: 146.25 east', -16.5, 146.25],
    ['16,874 S 146,213 E', -16.874, 146.213],
    ['-16,874 146,213', -16.874, 146.213],
    ['−16,146', -16, 146],
    ['0, 0', 0, 0],
    ['-0 30, 0 30', -0.5, 0.5],
    ['90 N 180 W', 90, -180],
    ['21.3 N / 157.9 W', 21.3, -157.9],
    ['- 16.5, 146', -16.5, 146],
  ])('%s', (text, latitude, longitude) => {
    expect(parsePosition(text)).toEqual(near(latitude, longitude));
  });

  it.each(['', '  '])('an empty text is not a fault: "%s"', (text) => {
    expect(parsePosition(text)).toMatchObject({ ok: false, fault: 'empty' });
  });

  it.each([
    'here',
    '16.9',
    '16.9 S',
    '16 S 17 S',
    '16 E 146 E',
    '-16 S 146 E',
    '16 75 S 146 10 E',
    '16.5 30 S 146 E',
    '1,2,3,4',
    '16 52 S 146',
    '16 52.4 S 146 12.7 E 3',
    '1.2.3, 4',
    '16S146E x',
    'Infinity, 0',
    '1e2, 3',
    '16,9,146,0',
    'S E 16 146',
    '16 S N 146',
  ])('refused as not a position: %s', (text) => {
    expect(parsePosition(text)).toMatchObject({ ok: false, fault: 'unreadable' });
  });

  it.each([
    ['146.2, -16.9', 'Latitude'],
    ['90.0001, 0', 'Latitude'],
    ['16 S 180.5 E', 'Longitude'],
    ['-16, 1460', 'Longitude'],
    ['91 0 N 10 0 E', 'Latitude'],
  ])('refused as off the earth: %s', (text, which) => {
    expect(parsePosition(text)).toMatchObject({
      ok: false,
      fault: 'off-earth',
      text: expect.stringContaining(which) as string,
    });
  });

  const point = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });

  it('a formatted position parses back within 2 m, everywhere on the earth', () => {
    fc.assert(
      fc.property(point, (place) => {
        const read = parsePosition(formatChartPosition(place));
        expect(read.ok && distanceKm(read.point, place)).toBeLessThan(0.002);
      }),
    );
  });

  it('decimal degrees by sign and by letter are the same position', () => {
    fc.assert(
      fc.property(point, ({ latitude, longitude }) => {
        const [a, b] = [latitude.toFixed(6), longitude.toFixed(6)];
        const lettered = parsePosition(
          `${a.replace('-', '')} ${latitude < 0 ? 'S' : 'N'}, ${b.replace('-', '')} ${longitude < 0 ? 'W' : 'E'}`,
        );
        expect(parsePosition(`${a}, ${b}`)).toEqual(lettered);
        expect(lettered.ok).toBe(true);
      }),
    );
  });

  it('any text yields a position on earth or an error, never a throw', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9NSEW .,;°'"]{0,30}$/));
    fc.assert(
      fc.property(text, (written) => {
        const read = parsePosition(written);
        if (read.ok) expect(Math.abs(read.point.latitude) <= 90 && Math.abs(read.point.longitude) <= 180).toBe(true);
        else expect(read.text).not.toBe('');
      }),
    );
  });
});
