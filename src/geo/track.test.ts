import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metresBetween } from './distance';
import { cleanTrack, GAP_MAX_MS, positionAt, type Fix } from './track';

const START = Date.UTC(2026, 10, 20, 22);
const fix = (seconds: number, latitude: number, longitude: number): Fix => ({
  ms: START + seconds * 1000,
  latitude,
  longitude,
});

describe('3§3 image: a position from the vessel’s track', () => {
  it('a position between two fixes is interpolated', () => {
    const place = positionAt([fix(0, -16, 145), fix(60, -16.001, 145.002)], START + 15_000);
    expect(place?.latitude).toBeCloseTo(-16.00025, 9);
    expect(place?.longitude).toBeCloseTo(145.0005, 9);
  });

  it('the accuracy covers the distance sailed in between and is best at a fix', () => {
    const fixes = [fix(0, -16, 145), fix(300, -16.01, 145)];
    const at = (seconds: number): number => positionAt(fixes, START + seconds * 1000)?.accuracy ?? Number.NaN;
    expect(at(0)).toBe(10);
    expect(at(150)).toBeGreaterThan(at(20));
    expect(at(20)).toBeGreaterThan(at(0));
  });

  it('a gap is not filled, and a position is known only close to its ends', () => {
    const fixes = [fix(0, -16, 145), fix(GAP_MAX_MS / 1000 + 60, -16.01, 145)];
    expect(positionAt(fixes, START + GAP_MAX_MS / 2)).toBeNull();
    expect(positionAt(fixes, START + 30_000)).toMatchObject({ latitude: -16, longitude: 145 });
    expect(positionAt(fixes, fixes[1]!.ms - 30_000)).toMatchObject({ latitude: -16.01 });
    expect(positionAt(fixes, START - 60_000)).toMatchObject({ latitude: -16 });
    expect(positionAt(fixes, START - 10 * 60_000)).toBeNull();
    expect(positionAt([], START)).toBeNull();
  });

  it('an unmoved vessel counts as anchored for hours, not for days', () => {
    const anchored = (hours: number): Fix[] => [fix(0, -16, 145), fix(hours * 3600, -16.001, 145)];
    expect(positionAt(anchored(2), START + 3_600_000)?.latitude).toBeCloseTo(-16.0005, 9);
    expect(positionAt(anchored(2), START + 3_600_000)?.accuracy).toBeGreaterThan(100);
    expect(positionAt(anchored(5), START + 9_000_000)).toBeNull();
  });

  it('two fixes that no vessel can connect yield no position in between', () => {
    expect(positionAt([fix(0, -16, 145), fix(10, -17, 145)], START + 5000)).toBeNull();
  });

  it('a single fix that jumps away is dropped anywhere, as are invalid fixes', () => {
    const line = Array.from({ length: 6 }, (_, i) => fix(i * 10, -16 - i * 0.0001, 145));
    for (let at = 0; at < line.length; at++) {
      const wild = line.map((one, i) => (i === at ? { ...one, latitude: 12 } : one));
      expect(cleanTrack(wild).map(({ latitude }) => latitude)).not.toContain(12);
      expect(cleanTrack(wild)).toHaveLength(5);
    }
    expect(
      cleanTrack([fix(0, 0, 0), fix(1, 95, 3), fix(2, 3, 190), { ms: Number.NaN, latitude: 1, longitude: 1 }]),
    ).toEqual([]);
    expect(cleanTrack([line[3]!, line[0]!, line[0]!])).toEqual([line[0], line[3]]);
  });

  it('across the date line the short way is used', () => {
    const place = positionAt([fix(0, -16, 179.999), fix(60, -16, -179.999)], START + 30_000);
    expect(Math.abs(place?.longitude ?? 0)).toBeCloseTo(180, 6);
  });

  it('a position is between its two fixes, and its accuracy holds for straight sailing', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -60, max: 60, noNaN: true }),
        fc.double({ min: -179, max: 179, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 590 }),
        (lat, lng, part, seconds) => {
          const a = fix(0, lat, lng);
          const b = fix(seconds, lat + (seconds * 5) / 111_000, lng);
          const place = positionAt([a, b], START + Math.round(part * seconds * 1000));
          expect(place).not.toBeNull();
          if (place !== null)
            expect(metresBetween(a, place) + metresBetween(place, b)).toBeLessThanOrEqual(metresBetween(a, b) + 1);
        },
      ),
    );
  });
});
