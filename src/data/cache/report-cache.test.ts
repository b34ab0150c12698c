import { afterEach, expect, test } from 'vitest';
import { nodeHost } from '../../../tests/support/tablet/tablet-host';
import { ReportCache } from './report-cache';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

let opened = 0;
function open(room: { used: number | null; quota: number | null } = { used: null, quota: null }): ReportCache {
  const host = nodeHost();
  let now = 0;
  const cache = new ReportCache(
    { ...host, clock: { ...host.clock, now: () => ++now }, storage: { ...host.storage, estimate: async () => room } },
    `report-${opened++}`,
  );
  closing.push(() => cache.close());
  return cache;
}
const PICTURE = new Blob([new Uint8Array(10)]);
const FULL = { used: 100, quota: 100 };

test('1§7, 3§7 a picture that was taken along stays, however many are opened after it', async () => {
  const cache = open();
  await cache.takePicture('u/taken/800', PICTURE, 'gbr');
  await cache.storePicture('u/opened/800', PICTURE);
  expect(await cache.takeStoredPicture('u/opened/800', 'gbr')).toBe(true);
  expect(await cache.takeStoredPicture('u/none/800', 'gbr')).toBe(false);
  for (let n = 0; n < 201; n++) await cache.storePicture(`u/${n}/800`, PICTURE);
  expect(await cache.countTaken('gbr')).toBe(2);
  expect(await cache.getPicture('u/taken/800')).toBeDefined();
  expect(await cache.getPicture('u/0/800'), 'the oldest opened one').toBeUndefined();
  await cache.takeStoredPicture('u/taken/800', 'hawaii');
  await cache.deleteTaken('gbr');
  expect([await cache.countTaken('gbr'), await cache.countTaken('hawaii')]).toEqual([0, 1]);
  expect(await cache.getPicture('u/opened/800')).toBeUndefined();
});

test('1§7, 3§7 on a full tablet nothing is taken along, what was stays, and opened pictures go', async () => {
  const room = { used: 0, quota: 1e12 };
  const cache = open(room);
  await cache.takePicture('u/taken/800', PICTURE, 'gbr');
  await cache.storePicture('u/opened/800', PICTURE);
  Object.assign(room, FULL);
  await expect(cache.takePicture('u/more/800', PICTURE, 'gbr')).rejects.toMatchObject({ code: 'storage-full' });
  await cache.storePicture('u/other/800', PICTURE);
  expect(await cache.getPicture('u/opened/800')).toBeUndefined();
  expect(await cache.getPicture('u/taken/800')).toBeDefined();
});

test('3§7 an answer that could not be stored is reported, until one is', async () => {
  const cache = open();
  const answer = { key: 'u surveys gbr/a/grc6', text: '[]', etag: null, at: 1 };
  await cache.storeAnswer(answer);
  cache.requireStored();
  await cache.storeAnswer({ ...answer, key: undefined as never });
  expect(() => cache.requireStored()).toThrow('enough space');
  await cache.storeAnswer(answer);
  cache.requireStored();
  expect(await cache.answerKeys((key) => key.includes('gbr/'))).toEqual([answer.key]);
  await cache.deleteAnswers([answer.key]);
  expect(await cache.getAnswer(answer.key)).toBeUndefined();
});
