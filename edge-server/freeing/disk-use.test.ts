import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { VesselStore } from '../store/vessel-store';
import { DiskUse } from './disk-use';
import { RateMeter } from '../reads/rate-meter';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21, 9);
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function scene() {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-use-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  const at = { now: START };
  const open = () => {
    const store = new VesselStore(
      home,
      () => new Date(at.now),
      (message) => expect.fail(message),
    );
    ends.push(() => store.close());
    return new DiskUse(store, () => at.now);
  };
  return { at, open };
}

describe('1§3 edge stats: days until the disk is full', () => {
  it('1§3 days left are unknown at first and when idle, then follow the daily mean', () => {
    const { at, open } = scene();
    const use = open();
    expect(use.daysFor(100)).toBeNull();
    use.addReceived(60);
    expect(use.daysFor(100), 'one day is not enough').toBeNull();
    at.now += DAY;
    use.addReceived(20);
    expect(use.daysFor(400), '80 in two days').toBe(10);
    use.close();
    const again = open();
    expect(again.daysFor(400)).toBe(10);
    expect(again.daysFor(-5), 'full already').toBe(0);
    at.now += 2 * DAY;
    expect(again.daysFor(400), 'two days of rest count').toBe(20);
    at.now += 30 * DAY;
    expect(again.daysFor(400), 'a month ago does not count').toBeNull();
  });
});

describe('protocol: edge socket, senders: the rate', () => {
  it('the rate is bytes over time, unknown for the first chunk and null when idle', () => {
    const meter = new RateMeter();
    expect(meter.rate(0)).toBeNull();
    meter.add(1_000_000, 0);
    expect(meter.rate(100)).toBeNull();
    meter.add(1_000_000, 1_000);
    meter.add(1_000_000, 2_000);
    expect(meter.rate(2_000)).toBe(1_000_000);
    expect(meter.rate(4_000), 'it falls while nothing arrives').toBe(500_000);
    expect(meter.rate(20_000)).toBeNull();
    meter.add(5, 20_000);
    expect(meter.rate(20_001)).toBeNull();
  });
});
