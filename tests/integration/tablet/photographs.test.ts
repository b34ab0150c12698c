import { afterEach, describe, expect, test } from 'vitest';
import type { PhotographView } from '../../../src/data/repositories/index';
import type { ReadDoc } from '../../../src/data/db/read-model';
import { photographViews } from '../../../src/data/repositories/image/photograph-view';
import type { ImageId, SurveyId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { LiveQuery } from '../../../src/data/repositories/live';
import type { TestTabletOptions } from '../../support/tablet/tablet';
import { openTestTablet, photograph, until } from '../../support/tablet/tablet';

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function tablet(options: TestTabletOptions = {}): Promise<TestTablet> {
  const opened = await openTestTablet(options);
  closers.push(() => opened.close());
  return opened;
}

async function survey({ repositories }: TestTablet): Promise<SurveyId> {
  await repositories.account.people.createPending({ name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' });
  return repositories.census.surveys.add({
    name: 'Dive 1',
    date: '2026-11-20',
    type: 'scuba',
    location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' },
  });
}

function watch(live: LiveQuery<PhotographView>): () => readonly PhotographView[] {
  const stop = live.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => live.get().items;
}

async function scene(
  count: number,
): Promise<{
  one: TestTablet;
  id: SurveyId;
  shown: () => readonly PhotographView[];
  removed: () => readonly PhotographView[];
  ids: ImageId[];
}> {
  const one = await tablet();
  const id = await survey(one);
  const ids: ImageId[] = [];
  for (let i = 0; i < count; i++)
    ids.push((await one.repositories.census.images.addPhotograph(photograph(i + 1, 3000 + i), id)).id);
  const shown = watch(one.repositories.census.images.ofSurvey(id));
  const removed = watch(one.repositories.census.images.removed(id));
  await until(() => shown().length === count, 'all photographs in the list');
  return { one, id, shown, removed, ids };
}

const idsOf = (views: readonly PhotographView[]): ImageId[] => views.map(({ id }) => id);

describe('3§3 image: a survey’s photographs in order', () => {
  test('photographs stay in the order added, even if a later one is read first', async () => {
    const one = await tablet();
    const id = await survey(one);
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        one.repositories.census.images.addPhotograph(photograph(i + 1, 90_000 - i * 10_000), id),
      ),
    );
    const shown = watch(one.repositories.census.images.ofSurvey(id));
    await until(() => shown().length === 8, 'all photographs in the list');
    expect(idsOf(shown())).toEqual(added.map((each) => each.id));
  });

  test('moved photographs appear at their new position', async () => {
    const { one, id, shown, ids } = await scene(5);
    const [a, b, c, d, e] = ids as [ImageId, ImageId, ImageId, ImageId, ImageId];
    await one.repositories.census.images.move(id, [e, b], a);
    await until(
      () => idsOf(shown()).join() === [e, b, a, c, d].join(),
      'the moved ones in front, in their given order',
    );
    await one.repositories.census.images.move(id, [e], null);
    await until(() => idsOf(shown()).join() === [b, a, c, d, e].join(), 'the moved one at the end');
  });

  test('photographs move to another survey with their bytes; the old ones can be restored', async () => {
    const { one, id, shown, removed, ids } = await scene(4);
    const { census } = one.repositories;
    const to = await survey(one);
    const there = watch(census.images.ofSurvey(to));
    const [a, b] = ids as [ImageId, ImageId];
    await census.images.keepAsIs(a);
    const [before] = shown();
    for (const moved of [a, b]) await census.images.moveToSurvey(moved, to);
    await until(() => there().length === 2 && shown().length === ids.length - 2, 'both in the other survey');
    expect(there().map(({ name, sha256 }) => [name, sha256])[0]).toEqual([before!.name, before!.sha256]);
    expect(there()[0]?.doc['keptAsIs']).toBe(true);
    await until(() => idsOf(removed()).join() === [a, b].join(), 'both among the removed ones of the first');
    await expect(census.images.moveToSurvey(a, to)).rejects.toMatchObject({ code: 'not-found' });
    await census.images.restore(a);
    await until(() => shown().length === ids.length - 1, 'restored');
    expect(id).not.toBe(to);
  });

  test('missing positions are set to that of the dive, and others stay', async () => {
    const { one, id, shown } = await scene(4);
    const { census } = one.repositories;
    expect(await census.images.placeAtDive(id)).toEqual({ placed: 0, without: shown().length });
    await census.surveys.edit(id, { site: { geoloc: { latitude: -16.5, longitude: 146 } } });
    expect(await census.images.placeAtDive(id)).toEqual({ placed: shown().length, without: 0 });
    await until(() => shown().every(({ position }) => position?.source === 'dive'), 'placed');
    expect(shown()[0]?.position).toMatchObject({ latitude: -16.5, longitude: 146 });
    expect(await census.images.placeAtDive(id)).toEqual({ placed: 0, without: 0 });
  });

  test('several move in one transaction, and one failure moves none', async () => {
    const { one, id, shown, ids } = await scene(4);
    const [a, b, c, d] = ids as [ImageId, ImageId, ImageId, ImageId];
    const { db } = one.context.store;
    const failing = (_key: unknown, row: { docId: string }): void => {
      if (row.docId === d) throw new DOMException('no room', 'QuotaExceededError');
    };
    db.ops.hook('creating', failing);
    await expect(one.repositories.census.images.move(id, [c, d], a)).rejects.toMatchObject({ code: 'storage-full' });
    db.ops.hook('creating').unsubscribe(failing);
    await one.context.projector.settle();
    expect(idsOf(shown())).toEqual([a, b, c, d]);
    let commits = 0;
    const counting = (): void => {
      commits++;
    };
    // Counter is written once per transaction with operations.
    db.meta.hook('updating', (_changes, key) => (key === 'counter' ? counting() : undefined));
    await one.repositories.census.images.move(id, [c, d], a);
    await until(() => idsOf(shown()).join() === [c, d, a, b].join(), 'both in front');
    expect(commits).toBe(1);
  });

  test('a removed one can be seen and restored, and a second removal changes nothing', async () => {
    const { one, shown, removed, ids } = await scene(3);
    const [a, b, c] = ids as [ImageId, ImageId, ImageId];
    await one.repositories.census.images.remove(b);
    await until(() => removed().length === 1 && shown().length === 2, 'the removed one apart');
    expect(idsOf(removed())).toEqual([b]);
    expect(idsOf(shown())).toEqual([a, c]);
    await expect(one.repositories.census.images.remove(b)).rejects.toMatchObject({ code: 'not-found' });
    await one.repositories.census.images.restore(b);
    await one.repositories.census.images.restore(b);
    await until(() => removed().length === 0 && shown().length === 3, 'the restored one back');
    expect(idsOf(shown())).toEqual([a, b, c]);
  });

  test('one removed and added again is there once', async () => {
    const { one, id, ids, shown } = await scene(1);
    await one.repositories.census.images.remove(ids[0]!);
    const again = await one.repositories.census.images.addPhotograph(photograph(1, 3000), id);
    expect(again.outcome).toBe('saved');
    await expect(one.repositories.census.images.restore(ids[0]!)).rejects.toMatchObject({ code: 'image-exists' });
    await until(() => shown().length === 1 && shown()[0]?.id === again.id, 'the new one alone');
  });

  test('one restored while the same file is added again in any tab is there once', async () => {
    const { one, id, ids, shown } = await scene(1);
    await one.repositories.census.images.remove(ids[0]!);
    const [restored, added] = await Promise.allSettled([
      one.repositories.census.images.restore(ids[0]!),
      one.repositories.census.images.addPhotograph(photograph(1, 3000), id),
    ]);
    expect(added.status).toBe('fulfilled');
    await one.context.projector.settle();
    await until(() => shown().length > 0, 'one of them');
    expect(await (await one.context.model).find('image', { surveyId: id })).toHaveLength(1);
    expect(restored.status === 'rejected' ? (restored.reason as { code: string }).code : 'image-exists').toBe(
      'image-exists',
    );
  });

  test('an edit of a removed photograph does not restore it', async () => {
    const { one, ids, id } = await scene(2);
    const [a] = ids as [ImageId];
    await Promise.allSettled([
      one.repositories.census.images.remove(a),
      one.repositories.census.images.keepAsIs(a),
      one.repositories.census.images.move(id, [a], null),
    ]);
    await one.context.projector.settle();
    expect((await (await one.context.model).find('image', { surveyId: id })).map((row) => row.id)).toEqual([ids[1]]);
  });

  test('concurrent moves keep the last position without a conflict', async () => {
    const { one, ids, id, shown } = await scene(3);
    const [a, b, c] = ids as [ImageId, ImageId, ImageId];
    await Promise.all([
      one.repositories.census.images.move(id, [c], a),
      one.repositories.census.images.move(id, [c], b),
    ]);
    await until(() => idsOf(shown()).join() === [a, c, b].join(), 'where it was put last');
    expect(shown().map(({ conflicts }) => conflicts)).toEqual([0, 0, 0]);
  });

  test('a record quarantined from another tablet does not block the same file', async () => {
    const [one, other] = [await tablet(), await tablet()];
    const id = await survey(one);
    const { store } = other.context;
    await other.repositories.account.people.createPending({
      name: { first: 'Ben', last: 'Reef' },
      email: 'ben@example.org',
    });
    const [survey1] = await one.context.store.db.ops.where({ kind: 'survey', docId: id }).toArray();
    await store.db.ops.add({ ...survey1!, own: false, arrival: await store.allocateArrivals(1) });
    await other.context.opIndex.follow();
    await other.repositories.census.images.addPhotograph(photograph(1, 3000), id);
    const row = (await store.db.ops.toArray()).find(({ kind }) => kind === 'image')!;
    await one.context.store.db.ops.add({ ...row, own: false, arrival: await one.context.store.allocateArrivals(1) });
    const { opId, kind, docId, sha256 } = row.op;
    const receipt = {
      v: 1,
      stage: 'edge',
      nodeId: 'box1box1box1box1',
      storeEpoch: 'life1life1life1l',
      opId,
      kind,
      docId,
      sha256,
      accepted: false,
      reason: 'schema',
      seq: 1,
      storedAt: '2026-11-21T00:00:00.000Z',
      kid: 'k',
      sig: 's',
    } as const;
    await one.context.store.db.receipts.add({
      opId,
      nodeId: receipt.nodeId,
      storeEpoch: receipt.storeEpoch,
      arrival: await one.context.store.allocateArrivals(1),
      receipt: receipt as never,
    });
    await one.context.opIndex.follow();
    expect(await one.repositories.census.images.addPhotograph(photograph(1, 3000), id)).toMatchObject({
      outcome: 'saved',
    });
  });

  test('a retake takes the old one’s position, and the old one can be restored', async () => {
    const { one, shown, removed, ids } = await scene(3);
    const [a, b, c] = ids as [ImageId, ImageId, ImageId];
    const again = await one.repositories.census.images.retake(b, photograph(77));
    // Lists are read separately, so one may show the change first.
    await until(
      () => idsOf(shown()).join() === [a, again.id, c].join() && idsOf(removed()).join() === b,
      'the new one in place',
    );
    expect(shown()[1]?.doc['retakeOf']).toBe(b);
    await one.repositories.census.images.restore(b);
    await until(() => shown().length === 4, 'both shown');
  });

  test('a photograph and a retake get the ids that the screen gave them; a duplicate keeps its own', async () => {
    const { one, id, shown, ids } = await scene(1);
    const { images } = one.repositories.census;
    const [added, retaken, other] = [images.newId(), images.newId(), images.newId()];
    expect(await images.addPhotograph(photograph(78), id, undefined, { id: added })).toMatchObject({ id: added });
    expect(await images.retake(ids[0]!, photograph(79), undefined, { id: retaken })).toMatchObject({ id: retaken });
    expect(await images.addPhotograph(photograph(78), id, undefined, { id: other })).toMatchObject({ id: added });
    await until(() => idsOf(shown()).join() === [retaken, added].join(), 'both by their ids');
  });

  test('a retake with an invalid or identical file changes nothing', async () => {
    const { one, shown, ids } = await scene(2);
    await expect(
      one.repositories.census.images.retake(ids[0]!, new File(['<svg>'], 'drawing.jpg')),
    ).rejects.toMatchObject({ code: 'unsupported-media' });
    expect(await one.repositories.census.images.retake(ids[0]!, photograph(1, 3000))).toMatchObject({
      id: ids[0],
      outcome: 'known',
    });
    expect(await one.repositories.census.images.retake(ids[0]!, photograph(2, 3001))).toMatchObject({
      id: ids[1],
      outcome: 'known',
    });
    await until(() => shown().length === 2, 'both shown');
    expect(idsOf(shown())).toEqual(ids);
  });

  test('the space check compares file sizes with free space', async () => {
    const { one } = await scene(0);
    const small = await one.repositories.census.images.room([photograph(1, 3000)]);
    expect(small.fits).toBe(true);
    expect(small.needs).toBeGreaterThan(3000);
    expect((await one.repositories.census.images.room([{ size: 1e15 }])).fits).toBe(small.free === null);
  });

  test('a browser without a storage estimate blocks no batch', async () => {
    const one = await tablet();
    Object.assign(one.host.storage, { estimate: () => Promise.reject(new TypeError('refused')) });
    expect(await one.repositories.census.images.room([photograph(1)])).toMatchObject({ fits: true, free: null });
  });

  test('a camera clock offset corrects the times of its own photographs alone', async () => {
    const { one, id, shown } = await scene(1);
    await one.repositories.census.surveys.setCameraClock(id, {
      camera: 'OLYMPUS TG-6',
      offsetMs: -36_000_000,
      how: 'qr',
    });
    await one.repositories.census.surveys.setCameraClock(id, {
      camera: 'OLYMPUS TG-6',
      offsetMs: -36_222_000,
      how: 'hand',
    });
    const surveys = one.repositories.census.surveys.one(id);
    const stop = surveys.subscribe(() => undefined);
    closers.push(async () => stop());
    await until(
      () => (surveys.get().items[0]?.doc['cameraClocks'] as { how?: string }[] | undefined)?.[0]?.how === 'hand',
      'the later clock',
    );
    expect(surveys.get().items[0]?.doc['cameraClocks']).toHaveLength(1);
    expect(surveys.get().items[0]?.doc['cameraClocks']).toMatchObject([
      { camera: 'OLYMPUS TG-6', offsetMs: -36_222_000, how: 'hand' },
    ]);
    expect(shown()[0]?.taken).toEqual({ camera: null, utc: null });
  });
});

describe('3§3 image: hints in the list', () => {
  const quality = {
    v: 1,
    sharpness: 0.9,
    contrast: 50,
    luma: { mean: 110, p5: 30, p95: 210 },
    clipped: { dark: 0, bright: 0 },
    water: 0,
    dhash: '99594d6e4e656c9d',
  };
  const document = (n: number, fields: JsonObject): ReadDoc => ({
    id: `Image${String(n).padStart(11, '0')}`,
    surveyId: 's',
    isDeleted: false,
    createdAt: `2026-11-20T00:00:0${n}.000Z`,
    updatedAt: '',
    doc: { meta: { taken: `2026-11-20T10:00:0${n}` }, preview: 'made', ...fields },
    conflicts: [],
  });

  test('hints follow from the record’s figures, can be dismissed and skip clock photographs', async () => {
    const { context } = await tablet();
    const documents = [
      document(1, { quality: { ...quality, sharpness: 0.1 } }),
      document(2, { quality: { ...quality, dhash: '99594d6e4e656c9c' } }),
      document(3, { quality: { ...quality, sharpness: 0.1 }, keptAsIs: true }),
      document(4, {
        quality: { ...quality, sharpness: 0.1, dhash: '0f0f0f0f0f0f0f0f' },
        boxClock: '2026-11-20T00:00:04.000Z',
      }),
      document(5, { quality: 'sharp' }),
    ];
    const views = photographViews(context, 's' as SurveyId, documents, []);
    expect(views.map(({ hints }) => hints)).toEqual([
      [{ kind: 'blurred' }],
      [{ kind: 'near-duplicate', of: documents[0]?.id }],
      [],
      [],
      [],
    ]);
    const again = photographViews(context, 's' as SurveyId, documents, []);
    expect(again.every((view, i) => view === views[i])).toBe(true);
    const changed = photographViews(
      context,
      's' as SurveyId,
      [document(1, { quality, order: 'zz' }), ...documents.slice(1)],
      [],
    );
    expect(changed.map(({ id }) => id).at(-1)).toBe(documents[0]?.id);
    expect(changed.at(-1)?.hints).toEqual([]);
  });
});

describe('3§3 image: errors while a photograph is added', () => {
  /** File that becomes unreadable after a number of reads. */
  function vanishing(after: number): File {
    const file = photograph(5, 4000);
    let reads = 0;
    const gone = (): Promise<never> =>
      Promise.reject(new DOMException('The requested file could not be read', 'NotReadableError'));
    return new Proxy(file, {
      get: (target, key) => {
        if (key === 'slice') {
          return (...range: Parameters<File['slice']>) => {
            const part = target.slice(...range);
            return ++reads > after
              ? new Proxy(part, {
                  get: (blob, name) =>
                    name === 'arrayBuffer' || name === 'stream' ? gone : (Reflect.get(blob, name, blob) as unknown),
                })
              : part;
          };
        }
        const value = Reflect.get(target, key, target) as unknown;
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  }

  test('a card removed during reading is reported, and nothing is half-saved', async () => {
    const { one, id, shown } = await scene(2);
    const blobs = await one.context.store.db.blobs.count();
    one.context.store.db.blobs.hook('creating', () => {
      throw new DOMException('Failed to write blobs', 'DataError');
    });
    await expect(one.repositories.census.images.addPhotograph(vanishing(2), id)).rejects.toMatchObject({
      code: 'unreadable-file',
    });
    expect(await one.context.store.db.blobs.count()).toBe(blobs);
    expect(shown()).toHaveLength(2);
  });

  test('a full storage is reported for each file that does not fit, and saved ones stay', async () => {
    const { one, id, shown } = await scene(2);
    const full = (): never => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    one.context.store.db.blobs.hook('creating', full);
    const results = await Promise.allSettled(
      [7, 8, 9].map((seed) => one.repositories.census.images.addPhotograph(photograph(seed, 4000), id)),
    );
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'storage-full' } });
    one.context.store.db.blobs.hook('creating').unsubscribe(full);
    await one.repositories.census.images.addPhotograph(photograph(7, 4000), id);
    await until(() => shown().length === 3, 'the one that fits again');
  });
});
