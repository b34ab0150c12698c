import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppendStore } from '../../src/server/ops/append-store';
import { VesselStore } from '../store/vessel-store';
import { BoxState } from '../store/box-state';
import { Senders } from './senders';
import type { Session } from '../sign-in/sessions';

const NOW = Date.UTC(2026, 10, 21);
const ends: (() => void)[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) end();
});

const session = (n: number): Session => ({ hash: '', deviceId: `Device${String(n).padStart(10, '0')}`, person: null });
const owed = { records: 1, photographs: 1, bytes: 5 };

function scene() {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-senders-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  const at = { now: NOW, ticks: 0 };
  const fail = (message: string) => expect.fail(message);
  const state = new BoxState(home, () => new Date(NOW), fail);
  const vessel = new VesselStore(home, () => new Date(NOW), fail);
  ends.push(() => (state.close(), vessel.close()));
  // The senders' only read of the store: there is no survey yet.
  const store = { document: () => Promise.resolve(undefined) } as unknown as AppendStore;
  const open = (): Senders => {
    const made = new Senders({ vessel, state, store, clock: () => at.now, ticks: () => at.ticks });
    ends.push(() => made.close());
    return made;
  };
  const pair = (n: number) =>
    state.pairDevice({ id: session(n).deviceId, name: `Tablet ${n}` }, new Date(at.now).toISOString());
  return { at, open, pair, vessel };
}

describe('protocol: edge socket, senders', () => {
  it('changes are sent once a second, the rate while bytes arrive and once after', () => {
    const { at, open, pair } = scene();
    const senders = open();
    pair(1);
    let told = 0;
    senders.onChange(() => (told += 1));
    for (let n = 0; n < 9; n++) {
      senders.setOwed(session(1), { ...owed, records: n });
      vi.advanceTimersByTime(100);
    }
    expect(told).toBe(0);
    vi.advanceTimersByTime(100);
    expect(told).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(told, 'nothing changed since').toBe(1);
    for (let n = 0; n < 3; n++, at.ticks += 500) senders.addReceived(session(1), 1_000_000);
    vi.advanceTimersByTime(1_000);
    expect(told).toBe(2);
    at.ticks += 2_000;
    vi.advanceTimersByTime(2_000);
    expect(told, 'it is still sent').toBe(3);
    at.ticks += 60_000;
    vi.advanceTimersByTime(2_000);
    expect(told, 'it has stopped').toBe(4);
    vi.advanceTimersByTime(60_000);
    expect(told).toBe(4);
  });

  it('a tablet stays listed until its last connection closes', async () => {
    const { at, open, pair } = scene();
    const senders = open();
    pair(1);
    pair(2);
    const [a, b] = [{}, {}];
    const here = async () => (await senders.list('admin')).filter(({ connected }) => connected).map(({ name }) => name);
    senders.connect(a, session(1));
    senders.connect(b, session(1));
    senders.disconnect(a);
    expect(await here()).toEqual(['Tablet 1']);
    senders.connect(b, session(2));
    expect(await here()).toEqual(['Tablet 2']);
    at.now += 5_000;
    senders.disconnect(b);
    senders.disconnect(b);
    expect(await here()).toEqual([]);
    expect((await senders.list('admin'))[0]).toMatchObject({ name: 'Tablet 2', seenAt: '2026-11-21T00:00:05.000Z' });
  });

  it('an open box lists the last hundred tablets and bounds what it stores', async () => {
    const { at, open, pair, vessel } = scene();
    const senders = open();
    for (let n = 0; n < 450; n++, at.now += 1_000) {
      pair(n);
      senders.setOwed(session(n), owed);
    }
    const listed = await senders.list('admin');
    expect(listed.length).toBe(100);
    expect(listed[0]).toMatchObject({ name: 'Tablet 449', owed });
    expect(listed.every((sender) => sender.owed !== null)).toBe(true);
    expect(vessel.senders().length).toBeLessThanOrEqual(200);
    expect((await open().list('admin'))[0]).toMatchObject({ name: 'Tablet 449', owed });
  });
});
