import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { FixBuilder } from '../gps/fix-builder';
import { NmeaReader } from '../gps/readers';
import { VesselStore } from '../store/vessel-store';
import { metresBetween } from './thin-track';
import { Track } from './track';

const NOW = Date.UTC(2026, 10, 21);
const LOG = fileURLToPath(new URL('../../../shared/data/nmea/plaka.log', import.meta.url));
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function scene() {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-track-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  const open = (): { store: VesselStore; track: Track } => {
    const store = new VesselStore(
      home,
      () => new Date(NOW),
      (message) => expect.fail(message),
    );
    ends.push(() => store.close());
    return { store, track: new Track(store, () => NOW + 86_400_000) };
  };
  return { home, open };
}

const fix = (seconds: number, north: number, east = 0) => ({
  time: new Date(NOW + seconds * 1000).toISOString(),
  lat: -16 + north / 111_195,
  lng: 146 + east / 106_900,
});
const stored = (track: Track) => track.read({}).fixes.map(({ time }) => (Date.parse(time) - NOW) / 1000);

describe('protocol: edge socket, track: which fixes are stored', () => {
  it('fixes are stored by distance, by turn and every five minutes at anchor', () => {
    const { track } = scene().open();
    for (const given of [
      fix(0, 0),
      fix(1, 200),
      fix(5, 10),
      fix(10, 26),
      fix(15, 38),
      fix(20, 38, 12),
      fix(25, 38, 18),
      fix(200, 38, 13),
      fix(330, 38, 14),
      fix(400, 38, 13),
    ])
      track.addFix(given);
    // 1 s later; 10 m; then 26 m; straight on; a right-angle turn; too near; too near; five minutes; too near.
    expect(stored(track)).toEqual([0, 10, 20, 330]);
  });

  it('an impossible leap is not stored unless the next fix confirms it', () => {
    const { track } = scene().open();
    for (const given of [
      fix(0, 0),
      fix(10, 30),
      fix(20, 50_000),
      fix(30, 90),
      fix(40, 120),
      fix(50, 80_000),
      fix(60, 80_030),
    ])
      track.addFix(given);
    expect(stored(track)).toEqual([0, 10, 30, 40, 60]);
  });

  it('a small step back in time waits; a corrected clock continues at once', () => {
    const { track } = scene().open();
    for (const given of [fix(0, 0), fix(100, 30), fix(50, 60), fix(90, 90), fix(110, 120)]) track.addFix(given);
    expect(stored(track)).toEqual([0, 100, 110]);
    track.addFix({ ...fix(0, 150), time: '2029-01-01T00:00:00.000Z' });
    track.addFix(fix(200, 180));
    expect(stored(track)).toEqual([0, 100, 110, 200]);
    track.addFix({ ...fix(0, 0), time: 'no time' });
    expect(stored(track).length).toBe(4);
  });

  it('the track survives a restart, and the oldest fixes are deleted', () => {
    const { open } = scene();
    const first = open();
    for (let n = 0; n < 10; n++) first.track.addFix(fix(n * 10, n * 30));
    const second = open();
    expect(second.track.last).toMatchObject({ at: NOW + 90_000 });
    second.track.addFix(fix(95, 271));
    expect(stored(second.track).length).toBe(10);
    second.store.trimTrack(NOW + 25_000, 4);
    expect(stored(second.track)).toEqual([60, 70, 80, 90]);
    second.store.trimTrack(NOW + 75_000, 4);
    expect(stored(second.track)).toEqual([80, 90]);
  });

  it('a fix years ahead after a start deletes no stored track', () => {
    const { open } = scene();
    const first = open();
    for (let n = 0; n < 10; n++) first.track.addFix(fix(n * 10, n * 30));
    const second = open();
    second.track.addFix({ ...fix(0, 400), time: '2029-01-01T00:00:00.000Z' });
    expect(stored(second.track)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  });

  it('an answer has at most 2000 fixes with both ends, however long the span', () => {
    const { open } = scene();
    const { store, track } = open();
    for (let n = 0; n < 25_000; n++)
      store.addFix({ at: NOW + n * 3_000, lat: -16 + Math.sin(n / 90) / 10, lng: 146 + n * 1e-5 });
    const { fixes } = track.read({
      from: new Date(NOW).toISOString(),
      to: new Date(NOW + 24_999 * 3_000).toISOString(),
    });
    expect(fixes.length).toBe(2000);
    expect([fixes[0]!.time, fixes.at(-1)!.time]).toEqual([
      new Date(NOW).toISOString(),
      new Date(NOW + 24_999 * 3_000).toISOString(),
    ]);
    expect(track.read({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).toEqual({ fixes: [] });
    for (const wrong of [
      { from: 'yesterday' },
      { from: 7 },
      { from: '2026-11-22T00:00:00Z', to: '2026-11-21T00:00:00Z' },
      { to: '2026-13-01T00:00:00Z' },
    ])
      expect(() => track.read(wrong)).toThrow(/from|to/);
  });

  it('a real vessel’s stored track is a subset that places it within 60 m', () => {
    const { track } = scene().open();
    const text = existsSync(LOG) ? readFileSync(LOG, 'latin1') : madeLog();
    const at = { wall: NOW, ticks: 0 };
    const maker = new FixBuilder({ wall: () => at.wall, latestKnown: () => 0, monotonic: () => at.ticks }, 'nmea');
    const came: { at: number; lat: number; lng: number }[] = [];
    for (const reading of new NmeaReader().read(Buffer.from(text, 'latin1'))) {
      const made = maker.build(reading);
      if (made === null) continue;
      at.wall += 2_000;
      at.ticks += 2_000;
      came.push({ at: Date.parse(made.time), lat: made.lat, lng: made.lng });
      track.addFix(made);
    }
    const kept = track
      .read({ from: new Date(NOW).toISOString(), to: new Date(at.wall).toISOString() })
      .fixes.map(({ time, ...place }) => ({ at: Date.parse(time), ...place }));
    let worst = 0;
    let next = 0;
    for (const real of came.filter((one) => one.at <= kept.at(-1)!.at)) {
      while (kept[next]!.at < real.at) next += 1;
      const [a, b] = [kept[Math.max(0, next - 1)]!, kept[next]!];
      const share = a.at === b.at ? 0 : (real.at - a.at) / (b.at - a.at);
      worst = Math.max(
        worst,
        metresBetween(real, { lat: a.lat + (b.lat - a.lat) * share, lng: a.lng + (b.lng - a.lng) * share }),
      );
    }
    console.log(`${came.length} fixes came, ${kept.length} are shown, off by ${worst.toFixed(1)} m at most`);
    expect(kept.length).toBeLessThan(came.length / 2);
    expect(worst).toBeLessThan(60);
  });
});

function madeLog(): string {
  const lines: string[] = [];
  for (let n = 0; n < 4_000; n++) {
    const lat = 16 + (50 + Math.sin(n / 50) * 0.2) / 60;
    const lng = 146 + (13 + n * 0.0033) / 60;
    const form = (value: number, digits: number): string =>
      `${String(Math.trunc(value)).padStart(digits, '0')}${((value % 1) * 60).toFixed(4).padStart(7, '0')}`;
    const body = `IIGLL,${form(lat, 2)},S,${form(lng, 3)},E,095559,A,D`;
    lines.push(
      `$${body}*${[...Buffer.from(body)]
        .reduce((sum, byte) => sum ^ byte, 0)
        .toString(16)
        .padStart(2, '0')}`,
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}
