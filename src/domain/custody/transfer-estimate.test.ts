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

  test('the time shown rises only after twenty seconds of a longer time without a break', () => {
    const lefts = fc.array(fc.double({ min: 0.5, max: 1.5, noNaN: true }), { minLength: 300, maxLength: 300 });
    let rises = 0;
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), lefts, (minutes, wavering) => {
        const leftMs = wavering.map((by, second) => Math.max(0, minutes * 60_000 - second * 1000) * by);
        let shown: ShownTimeLeft | null = null;
        leftMs.forEach((left, second) => {
          const before: number | undefined = shown?.minutes;
          shown = nextTimeLeft(shown, left, second * 1000);
          if (before === undefined || shown.minutes <= before) return;
          rises += 1;
          const longer = before === 0 ? 60_000 : before * 60_000 + 30_000;
          expect(Math.min(...leftMs.slice(second - 20, second + 1))).toBeGreaterThanOrEqual(longer);
        });
      }),
    );
    // Otherwise nothing was tested.
    expect(rises).toBeGreaterThan(0);
  });

  test('a box that stays slower shows after twenty seconds', () => {
    let shown = nextTimeLeft(null, 120_000, 0);
    for (let at = 1000; at <= 19_000; at += 1000) shown = nextTimeLeft(shown, 600_000, at);
    expect(shown.minutes).toBe(2);
    shown = nextTimeLeft(shown, 600_000, 21_000);
    expect(shown.minutes).toBe(10);
  });
});
