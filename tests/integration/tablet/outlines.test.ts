import sharp from 'sharp';
import { expect, test } from 'vitest';
import { CensusImageCache } from '../../../src/data/cache/census-image-cache';
import { outlineSources } from '../../../src/data/repositories/analysis/outlines';
import type { RepositoryContext } from '../../../src/data/repositories/repository-context';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import { outlineCollection } from '../../../src/domain/analysis/labelling/outline-collection';
import { ReefError } from '../../../src/domain/errors';
import { ANA, draft } from '../../support/tablet/analyses';
import { closers } from '../../support/tablet/closers';
import { OUTLINES, fixedSegmenter } from '../../support/tablet/labelling';
import { openTestTablet } from '../../support/tablet/tablet';

const BOX = 'https://box.example';
const MODEL: OutlineSet = { ...OUTLINES, source: 'model', model: 'gbr' };
const json = (set: OutlineSet): Response => Response.json(outlineCollection(set));
const ids = ({ outlines }: OutlineSet): readonly string[] => outlines.map(({ id }) => id);
const PUBLIC = { isExpert: false };

/** Tablet with one photograph and a box whose answers to `mlRequestJson` are scripted. */
async function scene(width = 1200, height = 900) {
  const asked: URL[] = [];
  const box = { answer: (): Promise<Response> | Response => new Response('', { status: 500 }), inReach: true };
  const tablet = await openTestTablet({
    fetch: async (address) => {
      const url = new URL(String(address));
      if (url.pathname !== '/mlRequestJson' || !box.inReach) throw new TypeError('no way');
      asked.push(url);
      return box.answer();
    },
  });
  closers.push(() => tablet.close());
  const { account, census } = tablet.repositories;
  await account.people.createPending(ANA);
  const surveyId = await census.surveys.add(draft);
  const content = await sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const file = new File([new Uint8Array(content)], 'G1.JPG', { type: 'image/jpeg' });
  const { id } = await census.images.addPhotograph(file, surveyId);
  const image = await census.analyses.image(surveyId, id);
  const { context } = tablet;
  const parts = {
    ...context,
    connectivity: {
      facts: { get: () => ({ answering: 'edge', offlineByChoice: false, browserOnline: true }) },
      currentEdge: () => (box.inReach ? { origin: BOX, session: 'session-aboard' } : undefined),
    },
  } as unknown as RepositoryContext;
  const segmenter = fixedSegmenter();
  const open = () => {
    const memory = new CensusImageCache(tablet.host, `${tablet.database}-outlines`);
    closers.push(async () => memory.close());
    return outlineSources(parts, memory, segmenter);
  };
  return { tablet, image, box, asked, segmenter, open };
}

test('1§7 outlines of a server are asked for once, with five parameters, and are there offline', async () => {
  const { image, box, asked, segmenter, open } = await scene();
  box.answer = () => json(MODEL);
  const { outlines } = open();
  expect(await outlines(image, PUBLIC)).toEqual(MODEL);
  expect(Object.fromEntries(asked[0]!.searchParams)).toEqual({
    surveyId: image.survey.id,
    imageId: image.id,
    mlAnalysisDir: 'gbr',
    polygonThreshold: '0.005',
    maxPolygonThreshold: '1',
  });
  expect(await outlines(image, PUBLIC)).toEqual(MODEL);
  expect(asked).toHaveLength(1);
  box.inReach = false;
  expect(await open().outlines(image, PUBLIC)).toEqual(MODEL);
  expect(segmenter.asked).toBe(0);
});

test('2§3 experts get the sizes of their own, largest first', async () => {
  const { image, box, asked, open } = await scene();
  const area = (n: number, size: number) => ({ ...OUTLINES.outlines[n]!, area: size });
  box.answer = () => json(MODEL);
  const small = { ...OUTLINES, outlines: [area(0, 0.9), area(1, 0.02), area(2, 0.004), area(3, 0.0005)] };
  const { outlines } = open();
  await outlines(image, { isExpert: true });
  expect(
    asked.map(({ searchParams }) => [searchParams.get('polygonThreshold'), searchParams.get('maxPolygonThreshold')]),
  ).toEqual([['0.001', '0.7']]);
  const { image: other, segmenter, open: openOther } = await scene();
  segmenter.segment = async () => small;
  const own = openOther();
  expect(ids(await own.outlines(other, { isExpert: true }))).toEqual(['shape-1', 'shape-2']);
  expect(ids(await own.outlines(other, PUBLIC))).toEqual(['shape-0', 'shape-1']);
});

test('1§7 without a result this tablet segments once, and a server that has one later wins', async () => {
  const { image, box, asked, segmenter, open } = await scene();
  const { outlines } = open();
  const [first, second] = await Promise.all([outlines(image, PUBLIC), outlines(image, PUBLIC)]);
  expect([first, second]).toEqual([OUTLINES, OUTLINES]);
  expect(await open().outlines(image, PUBLIC)).toEqual(OUTLINES);
  expect([segmenter.asked, asked.length]).toEqual([1, 2]);
  box.inReach = false;
  expect(await outlines(image, PUBLIC)).toEqual(OUTLINES);
  box.inReach = true;
  box.answer = () => json(MODEL);
  expect(await outlines(image, PUBLIC)).toEqual(MODEL);
  expect(segmenter.asked).toBe(1);
});

test('2§4 outlines loaded ahead serve the next opening without a server, and only that one', async () => {
  const { image, box, asked, open } = await scene();
  const { outlines, preload } = open();
  await preload(image, PUBLIC);
  box.answer = () => json(MODEL);
  expect(await outlines(image, PUBLIC)).toEqual(OUTLINES);
  expect(asked).toHaveLength(1);
  expect(await outlines(image, PUBLIC)).toEqual(MODEL);
  expect(asked).toHaveLength(2);
});

test.each<[string, () => Response]>([
  ['is not JSON', () => new Response('<html>hotel</html>')],
  ['has no outlines', () => json({ ...MODEL, outlines: [] })],
  ['is another JSON', () => Response.json({ ok: true })],
  ['is refused', () => new Response('{"error":{"code":"forbidden"}}', { status: 403 })],
  ['has an invalid outline', () => Response.json({ ...outlineCollection(MODEL), features: [7] })],
  [
    'never ends',
    () =>
      new Response(
        new ReadableStream({ pull: (to) => to.enqueue(new TextEncoder().encode(`{"a":"${'x'.repeat(1_000_000)}`)) }),
      ),
  ],
])('1§7 an answer that %s is not used, and this tablet segments', async (_what, answer) => {
  const { image, box, open } = await scene();
  box.answer = answer;
  expect(await open().outlines(image, PUBLIC)).toEqual(OUTLINES);
});

test('2§4 outlines of other proportions than the picture are never used for new work', async () => {
  const { image, box, segmenter, open } = await scene(1200, 800);
  box.answer = () => json(MODEL);
  segmenter.segment = async () => ({ ...OUTLINES, width: 1200, height: 800 });
  const { outlines, fits } = open();
  expect(await outlines(image, PUBLIC)).toMatchObject({ source: 'segmentation', width: 1200, height: 800 });
  expect(await fits(image, MODEL)).toBe(false);
  expect(await fits(image, { ...MODEL, width: 1999, height: 1333 })).toBe(true);
});

test('2§4 a photograph that is missing or does not decode ends in an error that says so', async () => {
  const { tablet, image, box, segmenter, open } = await scene();
  box.inReach = false;
  const broken = new ReefError('unreadable-file', { message: 'This photograph is incomplete.' });
  segmenter.segment = () => Promise.reject(broken);
  const { outlines } = open();
  await expect(outlines(image, PUBLIC)).rejects.toBe(broken);
  segmenter.segment = async () => OUTLINES;
  expect(await outlines(image, PUBLIC)).toEqual(OUTLINES);
  const { db } = tablet.context.store;
  await db.blobs.clear();
  await db.previews.clear();
  await expect(open().outlines(image, { isExpert: true })).rejects.toMatchObject({ code: 'not-found' });
});
