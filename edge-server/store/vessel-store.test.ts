import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { VesselStore } from './vessel-store';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function open(home: string, said: string[] = []): VesselStore {
  const store = new VesselStore(
    home,
    () => new Date(0),
    (message) => said.push(message),
  );
  ends.push(() => store.close());
  return store;
}

function folder(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-vessel-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

describe('the vessel store', () => {
  it('senders survive a restart, one row per sender and day', () => {
    const home = folder();
    const store = open(home);
    const row = {
      deviceId: 'Device0000000001',
      person: 'Mara Lind',
      seenAt: '2026-11-21T00:00:00.000Z',
      owed: { records: 1, photographs: 2, bytes: 3 },
      surveyId: null,
    };
    store.saveSender({ ...row, owed: null });
    store.saveSender(row);
    store.addReceived('2026-11-20', 5);
    store.addReceived('2026-11-21', 7);
    store.addReceived('2026-11-21', 8);
    const again = open(home);
    expect(again.senders()).toEqual([row]);
    expect(again.receivedSince('2026-11-21')).toEqual([{ day: '2026-11-21', bytes: 15 }]);
    again.forgetSender(row.deviceId);
    expect(store.senders()).toEqual([]);
  });

  it('a thinned span of fixes keeps both ends', () => {
    const store = open(folder());
    for (let n = 0; n < 100; n++) store.addFix({ at: n, lat: 0, lng: n });
    expect(store.fixes(10, 50, 7).map(({ at }) => at)).toEqual([10, 17, 24, 31, 38, 45, 50]);
    expect(store.fixes(10, 12).map(({ at }) => at)).toEqual([10, 11, 12]);
    expect(store.fixes(200, 300, 7)).toEqual([]);
  });

  it('an unwritable disk keeps notes in memory, and the box reports it and starts', () => {
    const home = folder();
    // A folder takes the file's place, so the file cannot be created, as on a full disk.
    mkdirSync(path.join(home, 'vessel.db'));
    const said: string[] = [];
    const store = open(home, said);
    expect(said).toEqual([expect.stringContaining('cannot be stored')]);
    expect(store.addFix({ at: 1, lat: 2, lng: 3 })).toBe(true);
    expect(store.lastFix()).toEqual({ at: 1, lat: 2, lng: 3 });
  });
});
