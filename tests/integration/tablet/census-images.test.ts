import { Dexie } from 'dexie';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NextImage, TraceImage } from '../../../src/data/repositories';
import type { FreeDrawResult } from '../../../src/data/repositories/analysis/types';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import { canonicalJson } from '../../../src/domain/canonical';
import { ReefError } from '../../../src/domain/errors';
import type { ImageId, SurveyId } from '../../../src/domain/ids';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, newId, surveyOp } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { openTestTablet, until } from '../../support/tablet/tablet';

const NODE = 'Box0000000000001';
const plating = categoryClass('reef_hardcoral_plating', 'live')!;
const MARKS: readonly FreeDrawMark[] = [
  {
    kind: 'stroke',
    since: 1,
    paints: plating,
    points: [
      [0.1, 0.1],
      [0.2, 0.3],
      [0.4, 0.5],
      [0.90001, 1],
    ],
  },
];
const result = (image: TraceImage): FreeDrawResult => ({
  image,
  analysisId: null,
  version: 3,
  marks: MARKS,
  width: 900,
  height: 600,
  stats: {
    coverage: 0.125,
    categories: [{ id: plating.type.id, label: 'Plating', path: plating.type.path, mod: 'live', coverage: 0.125 }],
  },
  preview: new Blob([Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)]),
});

type Opened = Awaited<ReturnType<typeof openTestTablet>> & { readonly way: { open: boolean; isBroken: boolean } };
let cloud: TestCloud;
const images: ImageId[] = [];
/** Waits until the cloud has made a photograph's pictures, without which it is offered to no one. */
const hasPictures = (id: ImageId) =>
  until(
    async () => (await cloud.cloud.context.store.document('image', id))?.owned['color_corrected'] !== undefined,
    'the pictures',
    50_000,
  );
const tablets: Opened[] = [];

beforeAll(async () => {
  cloud = await startCloud();
  const survey = surveyOp();
  const contents = await Promise.all(
    [0, 1, 2].map((shade) =>
      sharp({ create: { width: 900, height: 600, channels: 3, background: { r: 30, g: 100 + shade, b: 150 } } })
        .jpeg()
        .toBuffer(),
    ),
  );
  const ops = contents.map((content) => imageOp(survey.docId, content));
  for (const content of contents) await cloud.upload(content);
  expect(await cloud.ops([survey, ...ops], NODE)).toMatchObject(
    Array.from({ length: 4 }, () => ({ receipt: { accepted: true } })),
  );
  images.push(...ops.map(({ docId }) => docId as ImageId));
  for (const id of images) await hasPictures(id);
});
afterAll(() => cloud.close());
afterEach(async () => {
  for (const tablet of tablets.splice(0)) await tablet.close();
});

async function signedIn(email: string): Promise<Opened> {
  const way = { open: true, isBroken: false };
  const tablet = {
    ...(await openTestTablet({
      fetch: async (url, init) => {
        if (!way.open) throw new TypeError('no way');
        return way.isBroken && String(url).includes('images-to-analyse')
          ? new Response('', { status: 503 })
          : fetch(url, init);
      },
    })),
    way,
  };
  tablets.push(tablet);
  const { account } = tablet.repositories;
  await account.signIn.pinCloud(cloud.url);
  await account.signIn.sendCode(email);
  await account.signIn.withCode(email, await until(() => codeIn(outboxMails(cloud.outbox), email), 'the code'));
  await until(() => tablet.repositories.edge.link.connectivity.get().answering === 'www', 'the shore answers');
  return tablet;
}

const imageOf = (next: NextImage): TraceImage => {
  if ('none' in next) throw new Error(next.none);
  return next.image;
};
const width = async (blob: Blob): Promise<number | undefined> =>
  (await sharp(Buffer.from(await blob.arrayBuffer())).metadata()).width;

describe('2§4: census photographs that this person has not analysed', () => {
  test('2§3 photographs are offered one by one, cached ones also offline, and saved ones never again', async () => {
    const tablet = await signedIn('ana@example.org');
    const {
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const first = imageOf(await analyses.next({ isExpert: false, except: [] }));
    expect(first).toMatchObject({ source: 'census' });
    expect(first.path).toMatch(/^[\w-]+\/[\w.-]+$/);
    expect(images).toContain(first.id);
    const small = await analyses.picture(first, 800);
    expect([small.size, await width(small.blob)]).toEqual([800, 800]);
    const second = imageOf(await analyses.next({ isExpert: false, except: [first.id] }));
    expect(second.id).not.toBe(first.id);
    await analyses.preload(second);
    const corrected = await analyses.corrected(first, 800);
    expect(await width(corrected!.blob)).toBe(800);
    expect(Buffer.from(await corrected!.blob.arrayBuffer()).equals(Buffer.from(await small.blob.arrayBuffer()))).toBe(
      false,
    );

    // Connection lost.
    tablet.way.open = false;
    await analyses.journal(first).apply({ kind: 'add', mark: MARKS[0]! });
    const id = await analyses.saveFreeDraw(result(first));
    expect(imageOf(await analyses.next({ isExpert: false, except: [] })).id).toBe(second.id);
    expect((await analyses.picture(second, 2000)).size).toBe(2000);
    expect((await analyses.picture(second, 4000)).size).toBe(2000);
    expect(await analyses.next({ isExpert: false, except: [second.id] })).toEqual({ none: 'no-link' });
    expect(await analyses.image(second.survey.id, second.id)).toEqual(second);

    // Connection restored: the analysis goes ashore byte for byte, and the cloud knows.
    tablet.way.open = true;
    await tablet.repositories.edge.link.check();
    const stored = await until(
      async () => (await cloud.cloud.context.store.document('analysis', id)) ?? undefined,
      'the analysis ashore',
    );
    const [entry] = [...tablet.context.opIndex.entries.values()].filter(({ kind }) => kind === 'analysis');
    const own = await tablet.context.store.db.ops.get(entry!.opId);
    const { entries } = await cloud.changes(0);
    const there = entries.find(({ op }) => op?.opId === entry!.opId)?.op;
    expect(canonicalJson(there as never)).toBe(canonicalJson(own!.op as never));
    expect(stored.folded.doc).toMatchObject({
      geobuf: own!.op.body['geobuf'],
      stats: { coverage: 0.125 },
      image: { id: first.id, path: first.path },
      user: { uid: people.current.get()!.uid },
    });

    const others = await signedIn('ben@example.org');
    const given = new Set<ImageId>();
    for (let n = 0; n < 3; n++) {
      const next = imageOf(await others.repositories.census.analyses.next({ isExpert: false, except: [...given] }));
      given.add(next.id);
    }
    expect(given).toEqual(new Set(images));
    expect(await others.repositories.census.analyses.next({ isExpert: false, except: [...given] })).toEqual({
      none: 'all-done',
    });
    expect(imageOf(await analyses.next({ isExpert: false, except: [second.id] })).id).not.toBe(first.id);
  });

  test('2§8 a failed load is reported as such, and never as everything analysed', async () => {
    const tablet = await signedIn('ivy@example.org');
    tablet.way.isBroken = true;
    const { analyses } = tablet.repositories.census;
    expect(await analyses.next({ isExpert: false, except: [] })).toEqual({ none: 'failed' });
    tablet.way.isBroken = false;
    expect(images).toContain(imageOf(await analyses.next({ isExpert: false, except: [] })).id);
  });

  test('2§7 a photograph that does not decode is offered to nobody', async () => {
    const survey = surveyOp();
    const broken = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 7)]);
    const op = imageOp(survey.docId, broken);
    await cloud.upload(broken);
    expect(await cloud.ops([survey, op], NODE)).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
    ]);
    const { analyses } = (await signedIn('gus@example.org')).repositories.census;
    expect(await analyses.next({ isExpert: false, except: images })).toEqual({ none: 'all-done' });
  });

  test('a private photograph opened by one person is never shown to the next user', async () => {
    const tablet = await signedIn('gil@example.org');
    const {
      account,
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const uid = people.current.get()!.uid;
    const content = await sharp({
      create: { width: 900, height: 600, channels: 3, background: { r: 9, g: 90, b: 90 } },
    })
      .jpeg()
      .toBuffer();
    const survey = makeOp('survey', { ...surveyOp(uid).body, id: newId(), private: true }, { by: uid as never });
    const photograph = imageOp(survey.docId, content);
    await cloud.upload(content);
    expect(await cloud.ops([survey, photograph], NODE)).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
    ]);
    const [surveyId, imageId] = [survey.docId as SurveyId, photograph.docId as ImageId];
    // Found in the census cache, whether or not the tablet was notified.
    const image = await until(() => analyses.image(surveyId, imageId).catch(() => undefined), 'the photograph');
    await account.signIn.signOut();
    await people.clearCurrent();
    tablet.way.open = false;
    await people.createPending({ email: 'hal@example.org', name: { first: 'Hal', last: '' } });
    if (image.source !== 'census') throw new Error('It came to the tablet in another way.');
    await expect(analyses.image(surveyId, imageId)).rejects.toThrow(ReefError);
    const given = new Set<ImageId>();
    for (
      let next = await analyses.next({ isExpert: false, except: [] });
      'image' in next;
      next = await analyses.next({ isExpert: false, except: [...given] })
    )
      given.add(next.image.id);
    expect(given.has(imageId)).toBe(false);
  });

  test('a damaged cached picture is fetched again, and offline that is reported', async () => {
    const tablet = await signedIn('cam@example.org');
    const {
      census: { analyses },
    } = tablet.repositories;
    const image = imageOf(await analyses.next({ isExpert: false, except: [] }));
    await analyses.preload(image);
    const kept = new Dexie(`${tablet.database}-census`, {
      indexedDB: tablet.host.idb.factory,
      IDBKeyRange: tablet.host.idb.keyRange,
    });
    const { tables } = await kept.open();
    const pictures = tables.find(({ name }) => name === 'pictures')!;
    const spoil = async (): Promise<void> => {
      for (const key of await pictures.toCollection().primaryKeys()) await pictures.update(key, { blob: new Blob([]) });
    };
    await spoil();
    expect((await analyses.picture(image, 800)).blob.size).toBeGreaterThan(100);
    await spoil();
    tablet.way.open = false;
    await expect(analyses.picture(image, 800)).rejects.toMatchObject({ code: 'not-found' });
    kept.close();
  });

  test('a photograph on this tablet opens offline for its own person alone', async () => {
    const tablet = await signedIn('eve@example.org');
    const {
      census: { surveys, images: own, analyses },
      custody: { sending },
      account: { people },
    } = tablet.repositories;
    const surveyId = await surveys.add({
      name: 'Moore',
      date: '2026-11-20',
      type: 'scuba',
      location: { id: '16-071', regionId: 'gbr', name: 'Moore Reef' },
    });
    const content = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer();
    const { id } = await own.addPhotograph(
      new File([new Uint8Array(content)], 'G9.JPG', { type: 'image/jpeg' }),
      surveyId,
    );
    const stop = sending.facts.subscribe(() => undefined);
    await until(() => sending.facts.get().state === 'done', 'all ashore');
    stop();
    await hasPictures(id);
    const image = imageOf(await analyses.next({ isExpert: false, except: images }));
    expect(image).toMatchObject({ id, source: 'own', name: 'G9.JPG' });
    expect(image.path).toMatch(/^[\w-]+\/[\w.-]+$/);
    tablet.way.open = false;
    expect((await analyses.picture(image, 4000)).size).toBe('original');
    tablet.way.open = true;
    await people.clearCurrent();
    await people.createPending({ email: 'fay@example.org', name: { first: 'Fay', last: '' } });
    expect(await analyses.next({ isExpert: false, except: images })).toEqual({ none: 'all-done' });
  });

  test('2§6: a new verification applies at once, also offline and to analyses ashore', async () => {
    const tablet = await signedIn('gus@example.org');
    const {
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const uid = people.current.get()!.uid;
    await cloud.cloud.context.database.pool.query('UPDATE auth.person SET verified = true WHERE uid = $1', [uid]);
    cloud.cloud.context.accounts.callers.clearCache();
    expect(await analyses.roles()).toEqual({ isExpert: false, isVerified: true, isAdmin: false });
    const image = imageOf(await analyses.next({ isExpert: false, except: [] }));
    tablet.way.open = false;
    expect(await analyses.roles()).toMatchObject({ isVerified: true });
    const id = await analyses.saveFreeDraw(result(image));
    tablet.way.open = true;
    await tablet.repositories.edge.link.check();
    await until(
      async () => (await cloud.cloud.context.store.document('analysis', id)) ?? undefined,
      'the analysis ashore',
    );
    const { body } = await cloud.get<{ items: object[] }>(`/api/query/user-analyses?uid=${uid}`, STAFF_TOKEN);
    expect(body.items).toMatchObject([{ id, version: 3, verified: true }]);
  });

  test('a foreign or missing photograph is reported, and a non-expert has no expert role', async () => {
    const tablet = await signedIn('dee@example.org');
    const {
      census: { analyses },
    } = tablet.repositories;
    await expect(analyses.image('SurveyOfNobody01' as SurveyId, images[0]!)).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(analyses.image('SurveyOfNobody01' as SurveyId, 'ImageOfNobody001' as ImageId)).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await analyses.roles()).toEqual({ isExpert: false, isVerified: false, isAdmin: false });
  });
});
