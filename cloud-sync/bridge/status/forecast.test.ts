import { describe, expect, it } from 'vitest';
import { LinkRate, forecastMs } from './forecast';
import { BUDGET_DAY_MS } from '../limits';
import { displayLines } from './progress';

describe('protocol, the bridge: the forecast of the remaining time', () => {
  it('without a budget the forecast is bytes by rate, and unknown before a measurement', () => {
    expect(forecastMs({ bytes: 8000, rate: 1000, budget: null })).toBe(8000);
    expect(forecastMs({ bytes: 8000, rate: null, budget: null })).toBeNull();
    expect(forecastMs({ bytes: 0, rate: null, budget: null })).toBe(0);
  });

  it('with a budget the excess moves to later days, and the last day ends with its bytes', () => {
    const budget = { left: 10_000, dayLeftMs: 3_600_000, daily: 50_000 };
    expect(forecastMs({ bytes: 9000, rate: 1000, budget })).toBe(9000);
    expect(forecastMs({ bytes: 60_000, rate: 1000, budget })).toBe(3_600_000 + 50_000);
    expect(forecastMs({ bytes: 61_000, rate: 1000, budget })).toBe(3_600_000 + BUDGET_DAY_MS + 1000);
  });

  it('a budget beyond the link’s capacity does not count', () => {
    expect(
      forecastMs({ bytes: 1e9, rate: 1000, budget: { left: 1e12, dayLeftMs: BUDGET_DAY_MS, daily: 1e12 } }),
    ).toBeCloseTo(1e9, -1);
  });

  it('the rate counts each busy time once, however many uploads share it', () => {
    const rate = new LinkRate();
    expect(rate.bytesPerSecond()).toBeNull();
    rate.note(1000, 0, 1000);
    rate.note(1000, 0, 1000);
    rate.note(2000, 9000, 10_000);
    expect(rate.bytesPerSecond()).toBe(2000);
  });
});

describe('the display', () => {
  it('the display shows what is moving, what is left, the remaining time and why it waits', () => {
    const lines = displayLines({
      state: 'sending',
      text: 'Photographs are on their way: 3 to go.',
      box: 'Reef Box',
      owed: { ops: 3, images: 3, bytes: 12_000_000 },
      surveys: [{ surveyId: 'Survey0000000001', images: 3, bytes: 12_000_000 }],
      moving: [{ sha256: 'ab'.repeat(32), bytes: 4_000_000, offset: 1_000_000 }],
      sent: { images: 1, bytes: 4_000_000 },
      rate: 8000,
      sentToday: 4_100_000,
      dailyLimit: 50_000_000,
      leftMs: 1_500_000,
      held: [{ opId: 'Device-1', code: 'forbidden', message: 'You do not have permission to do this.' }],
      heldCount: 2,
    }).join('\n');
    for (const words of [
      'Reef Box: Photographs are on their way',
      '1 of 4 photographs',
      '12 MB to go',
      '8 KB/s',
      'done in 25 minutes',
      '25 % of 4.0 MB',
      'Survey0000000001',
      '4.1 MB of 50 MB',
      'You do not have permission to do this.',
      '1 more',
    ])
      expect(lines).toContain(words);
  });
});
