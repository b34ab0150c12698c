import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ShownTimeLeft } from './transfer-estimate';
import { nextTimeLeft, transferRate } from './transfer-estimate';

describe('1§7 progress: the estimate of the time left', () => {
  test('the rate is that of the last 30 s', () => {
    const landed = Array.from({ length: 100 }, (_, i) => ({ at: i * 1000, bytes: i < 50 ? 9000 : 1000 }));
    expect(transferRate(landed, 0, 99_000)).toBe(1000);
    expect(transferRate(landed.slice(0, 50), 0, 49_000)).toBe(9000);
  });

  test('nothing is shown before the first data, and a pause starts over', () => {
    expect(transferRate([{ at: 100, bytes: 5 }], 0, 1000)).toBeNull();
    expect(transferRate([{ at: 100, bytes: 5 }], 50_000, 60_000)).toBeNull();
    expect(transferRate([], 0, 60_000)).toBeNull();
  });

  test('the time left is rounded up, with 0 for less than a minute', () => {
    expect([59_999, 60_000, 60_001, 301_000].map((left) => nextTimeLeft(null, left, 0).minutes)).toEqual([0, 1, 2, 6]);
  });

  test('a rate that varies by a fifth never raises the time shown', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 60 }),
        fc.array(fc.double({ min: 0.85, max: 1.15, noNaN: true }), { minLength: 300, maxLength: 300 }),
        (minutes, wavering) => {
          let shown: ShownTimeLeft | null = null;
          const said: number[] = [];
          wavering.forEach((by, second) => {
            shown = nextTimeLeft(shown, Math.max(0, minutes * 60_000 - second * 1000) * by, second * 1000);
            if (said.at(-1) !== shown.minutes) said.push(shown.minutes);
          });
          // The shown time increases only if the true time was longer for 20 s without a break.
          const ups = said.filter((value, i) => i > 0 && value > (said[i - 1] ?? 0)).length;
          expect(ups).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test('a box that stays slower shows after twenty seconds', () => {
    let shown = nextTimeLeft(null, 120_000, 0);
    for (let at = 1000; at <= 19_000; at += 1000) shown = nextTimeLeft(shown, 600_000, at);
    expect(shown.minutes).toBe(2);
    shown = nextTimeLeft(shown, 600_000, 21_000);
    expect(shown.minutes).toBe(10);
  });
});
