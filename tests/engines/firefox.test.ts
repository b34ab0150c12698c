import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFirefox } from '../support/engines/firefox';
import { Journey, LOADED_AGAIN, PLANTED, RETURNED_FROM_CACHE } from './journey';

/**
 * Console errors of pages that are left while they load, a picture of which ends in the middle, and of a box that was
 * stopped.
 */
const LISTED = [
  new RegExp(PLANTED),
  /can’t establish a connection to the server at wss:|connection to wss:\S+ was interrupted while the page was loading/,
  /^uncaught: Error: Image corrupt or truncated\.$/,
  /Unable to preload CSS for|Failed to load ‘.*A ServiceWorker intercepted the request/,
];

let journey: Journey;

beforeAll(async () => {
  journey = await Journey.begin(openFirefox);
});
afterAll(() => journey.end());

test('1§1 Firefox: a person enters a name and pairs with a box over https', () => journey.enterAndPair());

test('1§1 Firefox: photographs reach tablet and box, byte for byte', () => journey.photograph());

test('2§2, 2§3 Firefox: strokes survive a reload; the saved analysis has a preview in WebP', async () => {
  expect((await journey.paintAndSave()).subarray(8, 12).toString('latin1')).toBe('WEBP');
});

test('1§1 Firefox: without the box, the survey opens from the tablet alone', () => journey.openOffline());

test('1§1 Firefox: a page left within 300 ms does not block the next one', () => journey.leaveAtOnce());

test('protocol: client behaviour — Firefox: a page that returns by Back lists its photographs', async () => {
  // It stores no page in its cache that holds a lock, as the sending tab does.
  expect([RETURNED_FROM_CACHE, LOADED_AGAIN]).toContain(await journey.leaveAndReturn());
});

test('1§1 Firefox: photographs left while they are stored are added again and sent', () => journey.leaveWhileStoring());

test('1§1, 1§7 Firefox: each light is on once the bridge brought the photographs ashore', () => journey.reachShore());

test('1§1 Firefox: the console has no errors but listed ones', async () => {
  expect(await journey.complaints([])).toContainEqual(expect.stringContaining(PLANTED));
  expect(await journey.complaints(LISTED)).toEqual([]);
});
