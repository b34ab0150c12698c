import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebKit } from '../support/engines/webkit';
import { Journey, PLANTED, RETURNED_FROM_CACHE } from './journey';

/** Console errors of the engine, of pages that are left while they load, and of a box that was stopped. */
const LISTED = [
  new RegExp(PLANTED),
  // The manifest is then under `default-src`, which allows it.
  /Unrecognized Content-Security-Policy directive 'manifest-src'/,
  // Without the box, and of pages that are left.
  /(?:Cannot|API cannot) load https:\S+ due to access control checks|WebSocket connection to 'wss:|Failed to load resource/,
];

let journey: Journey;

beforeAll(async () => {
  journey = await Journey.begin(openWebKit);
});
afterAll(() => journey.end());

test('1§1 WebKit: a person enters a name and pairs with a box over https', () => journey.enterAndPair());

test('1§1 WebKit: photographs reach tablet and box, byte for byte', () => journey.photograph());

test('2§2, 2§3 WebKit: strokes survive a reload; the saved analysis has a preview in JPEG', async () => {
  // It writes no WebP.
  expect((await journey.paintAndSave()).subarray(0, 3).toString('hex')).toBe('ffd8ff');
});

test('1§1 WebKit: without the box, the survey opens from the tablet alone', () => journey.openOffline());

test('1§1 WebKit: a page left within 300 ms does not block the next one', () => journey.leaveAtOnce());

test('protocol: client behaviour — WebKit: a page that returns by Back lists its photographs', async () => {
  expect(await journey.leaveAndReturn()).toBe(RETURNED_FROM_CACHE);
});

test('1§1 WebKit: photographs left while they are stored are added again and sent', () => journey.leaveWhileStoring());

test('1§1, 1§7 WebKit: each light is on once the bridge brought the photographs ashore', () => journey.reachShore());

test('1§1 WebKit: the console has no errors but listed ones', async () => {
  expect(await journey.complaints([])).toContainEqual(expect.stringContaining(PLANTED));
  expect(await journey.complaints(LISTED)).toEqual([]);
});
