import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrackPoint } from '../store/vessel-store';
import { bearing, metresBetween, thinTrack } from './thin-track';

const START = Date.UTC(2026, 10, 21);

/** Position that interpolation by time yields. */
function placeAt(track: readonly TrackPoint[], at: number): { lat: number; lng: number } {
  const next = track.findIndex((fix) => fix.at >= at);
  const [a, b] = [track[Math.max(0, next - 1)]!, track[next]!];
  const share = a.at === b.at ? 0 : (at - a.at) / (b.at - a.at);
  return { lat: a.lat + (b.lat - a.lat) * share, lng: a.lng + (b.lng - a.lng) * share };
}

const worstError = (whole: readonly TrackPoint[], thinned: readonly TrackPoint[]): number =>
  Math.max(...whole.map((fix) => metresBetween(fix, placeAt(thinned, fix.at))));

const walk = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: -300, max: 300 }),
      fc.integer({ min: -300, max: 300 }),
    ),
    { minLength: 1, maxLength: 300 },
  )
  .map((steps) => {
    let [at, lat, lng] = [START, -16, 146];
    return steps.map(([seconds, north, east]): TrackPoint => ({
      at: (at += seconds * 1000),
      lat: (lat += north / 111_195),
      lng: (lng += east / 111_195),
    }));
  });

describe('protocol: edge socket, track: thinned for an answer', () => {
  it('thinning keeps ends and order, invents nothing and respects the limit', () => {
    fc.assert(
      fc.property(walk, fc.integer({ min: 2, max: 50 }), (track, most) => {
        const thinned = thinTrack(track, most);
        expect(thinned.length).toBe(Math.min(most, track.length));
        expect(thinned[0]).toBe(track[0]);
        expect(thinned.at(-1)).toBe(track.at(-1));
        expect(thinned.every((fix) => track.includes(fix))).toBe(true);
        expect([...thinned].sort((a, b) => a.at - b.at)).toEqual(thinned);
      }),
    );
  });

  it('thinning keeps a halt on a straight track, so interpolated positions stay right', () => {
    const track: TrackPoint[] = [];
    for (let n = 0; n <= 600; n++) {
      // Ten minutes on the way, forty at a reef, ten on, all on one line.
      const way = n <= 100 ? n : n <= 500 ? 100 : n - 400;
      track.push({ at: START + n * 6_000, lat: -16, lng: 146 + way * 3e-4 });
    }
    expect(worstError(track, thinTrack(track, 6))).toBeLessThan(20);
  });

  it('thinning has a smaller error than every nth fix', () => {
    const track = Array.from({ length: 3_000 }, (_, n): TrackPoint => ({
      at: START + n * 2_000,
      lat: -16 + Math.sin(n / 40) * (n % 1000 < 500 ? 2e-2 : 1e-4),
      lng: 146 + n * 1e-5,
    }));
    const every = track.filter((_, n) => n % 30 === 0 || n === track.length - 1);
    expect(worstError(track, thinTrack(track, every.length))).toBeLessThan(worstError(track, every) / 2);
  });

  it('distances and bearings are right, also across 180°', () => {
    const here = { lat: -16, lng: 179.999 };
    expect(metresBetween(here, { lat: -16, lng: -179.999 })).toBeCloseTo(213.8, 0);
    expect(bearing(here, { lat: -16, lng: -179.999 })).toBeCloseTo(90, 1);
    expect(bearing(here, { lat: -17, lng: 179.999 })).toBeCloseTo(180, 1);
    expect(metresBetween({ lat: 0, lng: 0 }, { lat: 1, lng: 0 })).toBeCloseTo(111_195, 0);
  });
});
