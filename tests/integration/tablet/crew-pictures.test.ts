import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { PictureBytes } from '../../../src/data/repositories/analysis/types';
import type { ImageId } from '../../../src/domain/ids';
import { closers } from '../../support/tablet/closers';
import { until } from '../../support/tablet/tablet';
import { edge, survey, tablet } from '../../support/tablet/real-scene';

/** Photograph of 2,600 × 1,950 px. */
async function photographFile(name: string, background: string): Promise<File> {
  const jpeg = sharp({ create: { width: 2600, height: 1950, channels: 3, background } }).jpeg();
  return new File([new Uint8Array(await jpeg.toBuffer())], name, { type: 'image/jpeg' });
}

const shape = async ({ blob, size }: PictureBytes): Promise<readonly unknown[]> => [
  size,
  (await sharp(await blob.arrayBuffer()).metadata()).width,
];

test('2§9 a crew mate’s photograph is traced at the sizes of the box, and at what was fetched without it', async () => {
  const box = await edge();
  const [ana, ben] = [await tablet(), await tablet()];
  const surveyId = await survey(ana, 'Ana');
  const ids: ImageId[] = [];
  for (const file of [await photographFile('G1.JPG', '#c33'), await photographFile('G2.JPG', '#3c3')])
    ids.push((await ana.repositories.census.images.addPhotograph(file, surveyId)).id);
  await ana.repositories.edge.link.pair(box.url, box.code);
  await ben.repositories.account.people.createPending({ name: { first: 'Ben', last: 'Reef' }, email: 'b@example.org' });
  await ben.repositories.edge.link.pair(box.url, box.code);

  const { analyses, images } = ben.repositories.census;
  // A screen that listens keeps the connection to the box.
  const shown = images.ofSurvey(surveyId);
  const stop = shown.subscribe(() => undefined);
  closers.push(async () => stop());
  const open = async (n: number) => analyses.image(surveyId, ids[n]!).catch(() => null);
  await until(async () => (await open(0)) !== null && (await open(1)) !== null, 'the crew mate’s photographs');
  const [first, second] = [(await open(0))!, (await open(1))!];
  await until(() => analyses.picture(first, 800).then(Boolean, () => false), 'the bytes aboard');
  expect(await shape(await analyses.picture(first, 800))).toEqual([800, 800]);
  expect(await shape(await analyses.picture(first, 2000))).toEqual([2000, 2000]);
  // Not enlarged: all the pixels of the original.
  expect(await shape(await analyses.picture(first, 4000))).toEqual([4000, 2600]);
  await until(() => analyses.picture(second, 800).then(Boolean, () => false), 'the bytes of the second');

  await box.kill();
  expect(await shape(await analyses.picture(first, 2000))).toEqual([2000, 2000]);
  expect(await shape(await analyses.picture(first, 4000))).toEqual([4000, 2600]);
  expect(await shape(await analyses.picture(second, 2000))).toEqual([800, 800]);
  // Pictures from the box are offered by no other way than its record.
  expect(await analyses.next({ isExpert: false, except: [] })).toEqual({ none: 'no-link' });
});
