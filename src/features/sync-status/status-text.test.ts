import { expect, test } from 'vitest';
import { ReefError } from '../../domain/errors';
import type { ConnectivityFacts, Custody, EdgeLink, SendingFacts } from '../../data/repositories';
import { boxFact, networkFact } from './fact-text';
import {
  custodyText,
  editText,
  formatTimeLeft,
  lightsOf,
  lightsOfMany,
  sendingDetail,
  sendingText,
} from './status-text';

const receipted: Custody = { status: 'box', node: 'node00000001', storedAt: '2026-11-20T09:40:00.000Z' };
const sending: SendingFacts = {
  state: 'sending',
  to: 'box',
  tab: 'here',
  owed: { records: 3, photographs: 2, bytes: 31_000_000 },
  rate: 3_100_000,
  remainingMs: 61_000,
  problem: null,
  nextTryAt: null,
};
const facts: ConnectivityFacts = {
  browserOnline: true,
  offlineByChoice: false,
  answering: 'edge',
  impostor: false,
  slow: false,
  nextCheckAt: null,
};
const edge = {
  nodeId: 'node00000001',
  name: 'Reef Box',
  origin: 'https://reef-box.local',
  storeEpoch: 'e',
  pairedAt: '2026-11-20T09:00:00.000Z',
};

test('protocol: custody lights show a place as safe only with its receipt', () => {
  expect(lightsOf({ status: 'tablet' }, true)).toEqual({ tablet: 'on', box: 'off', shore: 'off' });
  expect(lightsOf({ status: 'on-its-way', sent: 10, bytes: 10, fraction: 1 }, true)).toEqual({
    tablet: 'on',
    box: 'going',
    shore: 'off',
  });
  expect(lightsOf(receipted, true)).toEqual({ tablet: 'on', box: 'on', shore: 'off' });
  expect(lightsOf({ status: 'held', reason: new ReefError('hash-mismatch').toWire() }, true)).toEqual({
    tablet: 'on',
    box: 'off',
    shore: 'off',
  });
});

test('a photograph that the box lost is not shown as safe there', () => {
  const lost = { status: 'tablet', lostBy: 'Reef Box' } as const;
  expect(custodyText(lost)).toBe('saved on this tablet. The copy on Reef Box is damaged or missing.');
  expect(custodyText(lost, false)).toBe('not on this tablet. The copy on Reef Box is damaged or missing.');
  expect(lightsOf(lost, false)).toEqual({ tablet: 'off', box: 'off', shore: 'off' });
});

test('protocol: another tablet’s photograph is not claimed for this one', () => {
  expect(lightsOf(receipted, false)).toEqual({ tablet: 'off', box: 'on', shore: 'off' });
  // Via the box all three are lit; sent directly to the cloud, the box's is not.
  const ashore = { status: 'shore', node: 'Cloud', storedAt: '2026-11-20T10:00:00.000Z' } as const;
  expect(lightsOf({ ...ashore, aboard: true }, true)).toEqual({ tablet: 'on', box: 'on', shore: 'on' });
  expect(lightsOf({ ...ashore, aboard: false }, true)).toEqual({ tablet: 'on', box: 'off', shore: 'on' });
  expect(lightsOf({ ...ashore, aboard: true }, false), 'freed here').toEqual({ tablet: 'off', box: 'on', shore: 'on' });
  const many = { total: 9, tablet: 9, box: 0, shore: 0, onItsWay: 1 };
  expect(lightsOfMany(many, 'box')).toEqual({ tablet: 'on', box: 'going', shore: 'off' });
  expect(lightsOfMany(many, 'shore')).toEqual({ tablet: 'on', box: 'off', shore: 'going' });
  expect(lightsOfMany({ ...many, box: 9, shore: 4, onItsWay: 0 }, 'box')).toEqual({
    tablet: 'on',
    box: 'on',
    shore: 'going',
  });
  expect(custodyText(receipted, false)).toBe('on the box; added on another tablet');
});

test('1§7 a later change is told beside the lights, which follow the bytes', () => {
  const ashore = { status: 'shore', node: 'Cloud', storedAt: '', aboard: true } as const;
  expect(editText(ashore)).toBeNull();
  const edited = { ...ashore, edit: { status: 'unsent' } } as const;
  expect(editText(edited)).toBe('A later change is still to be sent.');
  expect(lightsOf(edited, true)).toEqual({ tablet: 'on', box: 'on', shore: 'on' });
  expect(editText({ ...ashore, edit: { status: 'box' } })).toBe('A later change is on the box, not ashore yet.');
  expect(editText({ ...receipted, edit: { status: 'held', reason: new ReefError('timeout').toWire() } })).toContain(
    'A later change is on hold',
  );
});

test('1§8 custody texts: what happened and what is safe', () => {
  expect(custodyText({ status: 'on-its-way', sent: 999, bytes: 1000, fraction: 0.999 })).toBe(
    'saved, on its way to the box, 99%',
  );
  expect(custodyText({ status: 'tablet', problem: new ReefError('timeout').toWire() })).toBe(
    'saved on this tablet. The box did not answer in time. Retrying automatically.',
  );
  expect(custodyText({ status: 'held', reason: new ReefError('receipt-mismatch').toWire() })).toContain(
    'Your copy is safe.',
  );
});

test('the sending text shows count and time left, rounded up', () => {
  expect(sendingText(sending)).toBe('Sending to the box: 2 photographs to send, about 2 min');
  expect(sendingDetail(sending, 0)).toBe('31 MB left at 3.1 MB a second.');
  const waiting: SendingFacts = { ...sending, state: 'waiting', nextTryAt: 20_000 };
  expect(sendingText(waiting)).toBe('Waiting for the box: 2 photographs to send');
  expect(sendingDetail(waiting, 500)).toBe('31 MB left. Everything is safe on this tablet. Next try in 20 s.');
  expect(sendingText({ ...waiting, to: 'shore' })).toBe('Waiting for the shore: 2 photographs to send');
  expect(sendingText({ ...sending, owed: { records: 1, photographs: 0, bytes: 0 }, remainingMs: null })).toBe(
    'Sending to the box: 1 record to send',
  );
});

test('the box is in reach only when connected, and an impostor never', () => {
  const connected: EdgeLink = { status: 'connected', edge };
  expect(boxFact(connected, facts)).toEqual({ reach: true, title: 'Box in reach', detail: 'Reef Box' });
  expect(boxFact(connected, { ...facts, impostor: true }).reach).toBe(false);
  expect(boxFact(connected, { ...facts, offlineByChoice: true }).title).toBe('Offline by choice');
  expect(boxFact({ status: 'offline', edge }, { ...facts, browserOnline: false })).toEqual({
    reach: false,
    title: 'Box not in reach',
    detail: 'no network',
  });
});

test('the network is a separate fact, shown only when it is missing', () => {
  expect(networkFact(facts)).toBeNull();
  expect(networkFact({ ...facts, browserOnline: false, answering: 'none' })).toMatchObject({
    reach: false,
    title: 'No network',
  });
  expect(networkFact({ ...facts, answering: 'www' })).toMatchObject({ reach: true, title: 'Shore in reach' });
  expect(networkFact({ ...facts, answering: 'www', slow: true })?.detail).toBe('over the internet, slow');
});

test('1§7 cancel: current work stays saved and owed, and the text says so', () => {
  const stopped: SendingFacts = { ...sending, state: 'stopped', remainingMs: null, rate: null };
  expect(sendingText(stopped)).toBe('Sending is cancelled: 2 photographs to send');
  expect(sendingDetail(stopped, 0)).toBe(
    '31 MB left. Everything stays saved on this tablet and still has to go to the box. Nothing is sent until you press Send.',
  );
});

test('times left are formatted', () => {
  expect([59_999, 60_000, 61_000, 5_400_000].map(formatTimeLeft)).toEqual([
    'less than a minute',
    'about 1 min',
    'about 2 min',
    'about 2 h',
  ]);
});
