import { expect, test } from 'vitest';
import { nodeHost } from '../../../../tests/support/tablet/tablet-host';
import { ReportCache } from '../../cache/report-cache';
import { parseReportImage, parseReportSurvey } from './report-surveys';
import { forgetImages, forgetSurveys } from './stored-surveys';

const parts = { person: { get: () => ({ uid: 'mara' }) } } as unknown as Parameters<typeof forgetSurveys>[0];
const userKey = (query: string): string => `mara ${query}`;
const PICTURE = new Blob([new Uint8Array(10)]);
const surveyOf = (id: string) => parseReportSurvey({ id })!;
const imageOf = (id: string) => parseReportImage({ id })!;

async function cacheWith(images: Readonly<Record<string, readonly string[]>>): Promise<ReportCache> {
  const cache = new ReportCache(nodeHost(), 'stored-surveys');
  for (const [survey, ids] of Object.entries(images)) {
    const text = JSON.stringify(ids.map((id) => ({ id })));
    await cache.storeAnswer({ key: userKey(`images ${survey}`), text, etag: null, at: 1 });
    for (const id of ids) await cache.takePicture(`mara/${id}/800`, PICTURE, 'gbr');
  }
  return cache;
}

test('1§3 a survey that left an answer loses its list and its pictures; the others keep theirs', async () => {
  const cache = await cacheWith({ gone: ['a', 'b'], stays: ['c'] });
  await forgetSurveys(parts, cache, [surveyOf('gone'), surveyOf('stays')], [surveyOf('stays')], userKey);
  expect(await cache.answerKeys(() => true)).toEqual([userKey('images stays')]);
  expect(await cache.getPicture('mara/a/800')).toBeUndefined();
  expect(await cache.getPicture('mara/c/800')).toBeDefined();
  cache.close();
});

test('1§3 a photograph that left the list of its survey loses its picture', async () => {
  const cache = await cacheWith({ survey: ['a', 'b'] });
  await forgetImages(parts, cache, [imageOf('a'), imageOf('b')], [imageOf('b')]);
  expect(await cache.countTaken('gbr')).toBe(1);
  expect(await cache.getPicture('mara/b/800')).toBeDefined();
  cache.close();
});
