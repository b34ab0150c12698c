import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CameraClock } from './camera-clock';
import {
  cameraName,
  clockFor,
  formatClockError,
  correctedUtc,
  encodeClockCode,
  offsetFrom,
  parseClockCode,
  parseClocks,
  readingMs,
  withClock,
  zonedMs,
} from './camera-clock';

const HOUR = 3_600_000;
const clock = (camera: string | null, offsetMs: number, at = '2026-11-21T00:00:00.000Z'): CameraClock => ({
  camera,
  offsetMs,
  how: 'hand',
  at,
});

describe('3§3 image, meta.taken: the time of a camera’s clock', () => {
  it('a reading without a zone has no UTC time until the camera’s clock is known', () => {
    expect(correctedUtc('2026-11-20T08:09:10', null)).toBeNull();
    expect(correctedUtc('2026-11-20T08:09:10', clock(null, -10 * HOUR))).toBe('2026-11-19T22:09:10.000Z');
  });

  it('a zone written by the camera is used, and a clock setting overrides it', () => {
    expect(correctedUtc('2026-11-20T08:09:10+10:00', null)).toBe('2026-11-19T22:09:10.000Z');
    expect(correctedUtc('2026-11-20T08:09:10-03:30', null)).toBe('2026-11-20T11:39:10.000Z');
    expect(correctedUtc('2026-11-20T08:09:10Z', null)).toBe('2026-11-20T08:09:10.000Z');
    expect(correctedUtc('2026-11-20T08:09:10+10:00', clock(null, 1000))).toBe('2026-11-20T08:09:11.000Z');
    expect(zonedMs('2026-11-20T08:09:10+99:00')).toBeNull();
  });

  it.each([
    '',
    'yesterday',
    '0000-00-00T00:00:00',
    '2026-02-30T10:00:00',
    '2026-13-01T10:00:00',
    '2026-11-20T25:00:00',
    '1969-12-31T23:59:59',
    '1970-01-01T00:00:00',
    '2100-01-01T00:00:00',
    '9999-12-31T23:59:59',
    '2026-11-20',
  ])('“%s” is not a valid time of a census photograph', (taken) => {
    expect(readingMs(taken)).toBeNull();
    expect(correctedUtc(taken, clock(null, 0))).toBeNull();
    expect(offsetFrom(taken, Date.UTC(2026, 10, 20))).toBeNull();
  });

  it('one photograph of a true clock corrects every reading of that camera', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2090, 0, 1) }),
        fc.integer({ min: -5 * 365 * 24 * HOUR, max: 5 * 365 * 24 * HOUR }),
        fc.integer({ min: 0, max: 48 * HOUR }),
        (trueMs, wrongBy, later) => {
          const said = (ms: number): string =>
            new Date(Math.floor(ms / 1000) * 1000 + wrongBy - (wrongBy % 1000)).toISOString().slice(0, 19);
          const offsetMs = offsetFrom(said(trueMs), Math.floor(trueMs / 1000) * 1000) ?? Number.NaN;
          expect(correctedUtc(said(trueMs + later), { offsetMs })).toBe(
            new Date(Math.floor((trueMs + later) / 1000) * 1000).toISOString(),
          );
        },
      ),
    );
  });

  it('an offset beyond any calendar yields no time and no error', () => {
    expect(correctedUtc('2026-11-20T08:09:10', clock(null, 1e300))).toBeNull();
    expect(offsetFrom('2026-11-20T08:09:10', Number.NaN)).toBeNull();
  });
});

describe('3§3 survey, camera clocks', () => {
  it('a camera’s own clock beats the general one, and a later one an earlier one', () => {
    const clocks = [clock(null, 1), clock('TG-6', 2), clock('TG-6', 3, '2026-11-22T00:00:00.000Z'), clock('D70', 4)];
    expect(clockFor(clocks, 'TG-6')?.offsetMs).toBe(3);
    expect(clockFor(clocks, 'D70')?.offsetMs).toBe(4);
    expect(clockFor(clocks, 'GoPro')?.offsetMs).toBe(1);
    expect(clockFor(clocks, null)?.offsetMs).toBe(1);
    expect(clockFor([clock('D70', 4)], 'GoPro')).toBeNull();
  });

  it('a new clock replaces only that of the same camera', () => {
    expect(withClock([clock(null, 1), clock('D70', 2)], clock('D70', 5)).map(({ offsetMs }) => offsetMs)).toEqual([
      1, 5,
    ]);
  });

  it('invalid clock entries of a record are ignored', () => {
    expect(
      parseClocks([
        { camera: null, offsetMs: 5, how: 'qr', at: 'x' },
        { camera: 3, offsetMs: 5 },
        { camera: null, offsetMs: 'much' },
        null,
        7,
      ]),
    ).toEqual([{ camera: null, offsetMs: 5, how: 'qr', at: 'x' }]);
    expect(parseClocks('none')).toEqual([]);
  });

  it('a camera is named by make and model without repeating the make', () => {
    expect(cameraName({ make: 'OLYMPUS', model: 'TG-6' })).toBe('OLYMPUS TG-6');
    expect(cameraName({ make: 'NIKON', model: 'NIKON D70' })).toBe('NIKON D70');
    expect(cameraName({ model: 'GoPro' })).toBe('GoPro');
    expect(cameraName({ make: ' ' })).toBeNull();
    expect(cameraName(null)).toBeNull();
  });

  it.each([
    [222_000, 0, '3 min 42 s slow'],
    [-10 * HOUR, 600, 'right'],
    [-10 * HOUR - 70 * 60_000, 600, '1 h 10 min fast'],
    [24 * HOUR * 3 + 2 * HOUR, 0, '3 days 2 h slow'],
    [24 * HOUR + 5000, 0, '1 day slow'],
    [400, 0, 'right'],
    [-1000, 0, '1 s fast'],
  ])('%d ms with %d min east of UTC is “%s”', (offsetMs, zone, words) => {
    expect(formatClockError(offsetMs, zone)).toBe(words);
  });

  it('a clock code round-trips, and other texts are refused', () => {
    expect(parseClockCode(encodeClockCode(1_795_000_000_123))).toBe(1_795_000_000_123);
    for (const text of [
      '',
      'REEFCLOCK1:',
      'REEFCLOCK1:12',
      'REEFCLOCK1:1795000000123x',
      'REEFCLOCK2:1795000000123',
      'https://reef.local',
      'REEFCLOCK1:99999999999999',
      'REEFCLOCK1:946684800000',
      'REEFCLOCK1:100000000000',
    ])
      expect(parseClockCode(text)).toBeNull();
  });
});
