import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMinutesLeft, createPaceMeter, formatPace } from './pace';

/** Photographs at a steady pace; returns the displayed values. */
function steady(pace: ReturnType<typeof createPaceMeter>, from: number, count: number, everyMs: number, left: number) {
  const shown: (number | null)[] = [];
  for (let i = 1; i <= count; i++) {
    pace.addDone(from + i * everyMs);
    shown.push(pace.read(from + i * everyMs, left - i).minutesLeft);
  }
  return shown;
}

test('3§9 the time left follows the last 30 s, rounded up', () => {
  const pace = createPaceMeter();
  pace.restart(0);
  steady(pace, 0, 100, 500, 400);
  const { perSecond, minutesLeft } = pace.read(50_000, 300);
  expect(perSecond).toBeCloseTo(2, 1);
  expect(minutesLeft).toBe(3);
  // After ten idle seconds the window still holds the 40 of the other twenty.
  expect(pace.read(60_000, 300).perSecond).toBeCloseTo(41 / 30, 1);
});

test('3§9 a short hitch does not raise the time left, half a minute of slower work does', () => {
  const pace = createPaceMeter();
  pace.restart(0);
  steady(pace, 0, 60, 500, 200);
  const before = pace.read(30_000, 140).minutesLeft!;
  for (let at = 31_000; at <= 45_000; at += 1000) expect(pace.read(at, 140).minutesLeft).toBe(before);
  const shown = steady(pace, 45_000, 40, 3000, 140);
  expect(Math.max(...shown.map((minutes) => minutes ?? 0))).toBeGreaterThan(before);
});

test('3§9 at a steady pace the time left never rises', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 4000 }), fc.integer({ min: 10, max: 2000 }), (everyMs, count) => {
      const pace = createPaceMeter();
      pace.restart(0);
      const shown = steady(pace, 0, count, everyMs, count).filter((minutes): minutes is number => minutes !== null);
      expect(shown).toEqual([...shown].sort((a, b) => b - a));
    }),
    { numRuns: 50 },
  );
});

test('3§9 no time left is shown before the first data, and a pause starts over', () => {
  const pace = createPaceMeter();
  pace.restart(0);
  expect(pace.read(100, 500)).toEqual({ perSecond: null, minutesLeft: null });
  steady(pace, 0, 20, 500, 500);
  pace.restart(60_000);
  expect(pace.read(60_100, 480)).toEqual({ perSecond: null, minutesLeft: null });
  expect([formatMinutesLeft(null), formatMinutesLeft(1), formatMinutesLeft(2), formatMinutesLeft(180)]).toEqual([
    '',
    'Less than a minute left',
    'About 2 min left',
    'About 3 h left',
  ]);
  expect([formatPace(null), formatPace(2.44), formatPace(0.5), formatPace(12.3)]).toEqual([
    '',
    '2.4 photographs a second',
    '30 photographs a minute',
    '12 photographs a second',
  ]);
});
