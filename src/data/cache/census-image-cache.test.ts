import { afterEach, describe, expect, test } from 'vitest';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import type { ImageId, SurveyId } from '../../domain/ids';
import { nodeHost } from '../../../tests/support/tablet/tablet-host';
import type { TraceImage } from '../repositories/analysis/types';
import { CENSUS_CACHE_MAX, CensusImageCache } from './census-image-cache';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

let opened = 0;
function open(room: { used: number | null; quota: number | null } = { used: null, quota: null }): CensusImageCache {
  const host = nodeHost();
  let now = 0;
  const memory = new CensusImageCache(
    { ...host, clock: { ...host.clock, now: () => ++now }, storage: { ...host.storage, estimate: async () => room } },
    `census-${opened++}`,
  );
  closing.push(() => memory.close());
  return memory;
}

const idOf = (n: number): ImageId => `Image${String(n).padStart(11, '0')}` as ImageId;
const kept = (n: number) => ({
  view: {
    id: idOf(n),
    survey: { id: 'Survey0000000001' as SurveyId, name: '', regionId: null },
    source: 'census',
    name: '',
    latitude: null,
    photographer: { name: null, organisation: null },
    path: 'a/b',
    hasCorrected: false,
  } satisfies TraceImage,
  corrected: null,
});
const picture = (n: number): Blob => new Blob([new Uint8Array(100).fill(n)]);

describe('2§4 cache of the census', () => {
  test('the last fifty images stay with their pictures, and the least recently used go', async () => {
    const memory = open();
    for (let n = 0; n < CENSUS_CACHE_MAX; n++) {
      await memory.storeImage(idOf(n), kept(n), false);
      await memory.storePicture(idOf(n), 'plain', 800, picture(n));
    }
    await memory.storePicture(idOf(1), 'corrected', 2000, picture(99));
    await memory.storeImage(idOf(0), kept(0), false);
    await memory.storeImage(idOf(CENSUS_CACHE_MAX), kept(CENSUS_CACHE_MAX), true);
    expect(await memory.images()).toHaveLength(CENSUS_CACHE_MAX);
    expect((await memory.images()).slice(0, 2).map(({ id, isExpert }) => [id, isExpert])).toEqual([
      [idOf(CENSUS_CACHE_MAX), true],
      [idOf(0), false],
    ]);
    expect([
      await memory.getImage(idOf(1)),
      await memory.getPicture(idOf(1), 'plain', 800),
      await memory.getPicture(idOf(1), 'corrected', 2000),
      await memory.hasPicture(idOf(1)),
    ]).toEqual([undefined, undefined, undefined, false]);
    expect((await memory.getPicture(idOf(0), 'plain', 800))?.size).toBe(100);
    // A picture of an image that is not cached could never be found again.
    await memory.storePicture(idOf(1), 'plain', 800, picture(1));
    expect(await memory.getPicture(idOf(1), 'plain', 800)).toBeUndefined();
  });

  test('outlines stay with their image, for the public and for experts, and go with it', async () => {
    const memory = open();
    const of = (model: string): OutlineSet => ({ source: 'model', model, width: 2000, height: 1500, outlines: [] });
    await memory.storeOutlines(idOf(1), false, { set: of('early'), from: 'server' });
    expect(await memory.getOutlines(idOf(1), false)).toBeUndefined();
    await memory.storeImage(idOf(1), kept(1), false);
    await memory.storeOutlines(idOf(1), false, { set: of('public'), from: 'tablet' });
    await memory.storeOutlines(idOf(1), true, { set: of('expert'), from: 'server' });
    expect([await memory.getOutlines(idOf(1), false), await memory.getOutlines(idOf(1), true)]).toEqual([
      { set: of('public'), from: 'tablet' },
      { set: of('expert'), from: 'server' },
    ]);
    for (let n = 2; n < CENSUS_CACHE_MAX + 2; n++) await memory.storeImage(idOf(n), kept(n), false);
    expect(await memory.getImage(idOf(1))).toBeUndefined();
    expect(await memory.getOutlines(idOf(1), true)).toBeUndefined();
  });

  test('pictures of the census are dropped when photographs need the space', async () => {
    const room = { used: 0, quota: 64e9 };
    const memory = open(room);
    await memory.storeImage(idOf(1), kept(1), false);
    await memory.storePicture(idOf(1), 'plain', 800, picture(1));
    expect(await memory.hasPicture(idOf(1))).toBe(true);
    room.used = 62e9;
    await memory.storePicture(idOf(1), 'plain', 2000, picture(1));
    expect(await memory.hasPicture(idOf(1))).toBe(false);
    expect(await memory.getImage(idOf(1))).toBeDefined();
  });
});
