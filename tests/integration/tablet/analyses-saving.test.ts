import { describe, expect, test } from 'vitest';
import { append } from '../../../src/data/ops/append';
import { ingestPage } from '../../../src/data/ops/ingest';
import { draftFacts, readDocument } from '../../../src/data/repositories/repository-context';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import { readFreeDraw } from '../../../src/domain/analysis/free-draw/record';
import { opIdOf } from '../../../src/domain/ids';
import { draftEdit, sealOp } from '../../../src/domain/op/draft';
import { hashedText } from '../../../src/protocol/hash';
import type { JsonObject } from '../../../src/domain/json';
import { closeAll } from '../../support/tablet/closers';
import { until } from '../../support/tablet/tablet';
import { plating, ANA, open, withPhotograph, stroke, result, items, analysisOps } from '../../support/tablet/analyses';

describe('2§3, 2§4 saving', () => {
  test('a save is one op that ends the journal, and can be found, edited and listed', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    const id = await analyses.saveFreeDraw(
      result(image, [stroke(1)], { preview: new Blob([Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)]) }),
    );
    expect(await tablet.context.store.db.journals.count()).toBe(0);
    expect(analysisOps(tablet)).toHaveLength(1);
    const [view] = await items(analyses.mine, (all) => all.length === 1);
    expect(view).toMatchObject({
      id,
      imageId: image.id,
      version: 3,
      coverage: 0.5,
      file: 'G0.JPG',
      custody: { status: 'tablet' },
      kind: 'free-draw',
      isVerified: false,
      survey: { name: 'Agincourt' },
    });
    expect(view!.preview?.type).toBe('image/jpeg');
    expect(await analyses.freeDraw(image)).toMatchObject({
      from: 'stored',
      analysisId: id,
      marks: [stroke(1)],
      size: { width: 4000, height: 3000 },
      readOnly: null,
    });
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(2) });
    expect(await analyses.freeDraw(image)).toMatchObject({
      from: 'unfinished',
      analysisId: id,
      marks: [stroke(1), stroke(2)],
    });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)], { analysisId: id }))).toBe(id);
    expect(await analyses.saveFreeDraw(result(image, [stroke(2)], { analysisId: id }))).toBe(id);
    const [edited] = await items(analyses.mine, (all) => all[0]?.preview === null);
    expect(edited).toMatchObject({ id });
    expect(analysisOps(tablet)).toHaveLength(3);
    const { folded } = await readDocument(tablet.context, 'analysis', id);
    expect(folded.doc).toMatchObject({ version: 3, image: { id: image.id } });
    expect(readFreeDraw(folded.doc)).toMatchObject({ marks: [stroke(2)], size: { width: 4000, height: 3000 } });
    const conflicts = (await tablet.context.model).find('analysis', { id });
    expect((await conflicts)[0]?.conflicts).toEqual([]);
  });

  test('a full storage keeps the journal, and a retry saves once', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    const journal = analyses.journal(image);
    await journal.apply({ kind: 'add', mark: stroke(1) });
    const { db } = tablet.context.store;
    const full = (): never => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    db.ops.hook('creating', full);
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'storage-full' });
    db.ops.hook('creating').unsubscribe(full);
    db.journals.hook('creating', full);
    await expect(journal.apply({ kind: 'add', mark: stroke(2) })).rejects.toMatchObject({ code: 'storage-full' });
    db.journals.hook('creating').unsubscribe(full);
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1)]);
    await journal.apply({ kind: 'add', mark: stroke(2) });
    await journal.apply({ kind: 'add', mark: stroke(3) });
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2), stroke(3)]);
    await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2), stroke(3)]));
    expect([await db.journals.count(), analysisOps(tablet).length]).toEqual([0, 1]);
  });

  test('a removed class is counted and kept, and a damaged or newer record is never replaced', async () => {
    const tablet = await open();
    const { ids, surveyId } = await withPhotograph(tablet, 2);
    const {
      census: { analyses },
    } = tablet.repositories;
    const { store, opIndex } = tablet.context;
    const image = await analyses.image(surveyId, ids[0]!);
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)], { version: 1 }));
    const put = async (change: (body: JsonObject) => JsonObject): Promise<void> => {
      const before = await readDocument(tablet.context, 'analysis', id);
      await append(store, draftEdit(before, change(before.folded.doc), draftFacts(tablet.context, 'analysis'))!);
      await opIndex.follow();
    };
    await put((body) => ({
      ...body,
      geojson: (body['geojson'] as string).replace('"id":"reef_hardcoral_plating"', '"id":"reef_gone"'),
    }));
    const work = await analyses.freeDraw(image);
    expect([work.marks, [...work.unknown], work.analysisId]).toEqual([[], [['reef_gone', 1]], id]);
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(2) });
    expect([...(await analyses.freeDraw(image)).unknown]).toEqual([['reef_gone', 1]]);
    await analyses.saveFreeDraw(result(image, [stroke(2)]));
    const after = (await (await tablet.context.model).find('analysis', { id }))[0];
    await until(async () => {
      const [now] = await (await tablet.context.model).find('analysis', { id });
      const read = readFreeDraw(now?.doc ?? {});
      return read.kind === 'free-draw' && read.marks.length === 1 && read.unknown.get('reef_gone') === 1;
    }, `the kept trace, after ${after?.updatedAt}`);

    for (const [wrong, why] of [
      [{ geobuf: 'nonsense!' }, 'broken'],
      [{ version: 6 }, 'other-version'],
    ] as const) {
      await put((body) => ({ ...body, ...wrong }));
      expect(await analyses.freeDraw(image)).toMatchObject({ readOnly: why, analysisId: id, marks: [] });
      const count = analysisOps(tablet).length;
      await expect(analyses.journal(image).apply({ kind: 'add', mark: stroke(1) })).rejects.toMatchObject({
        code: 'unsupported-version',
      });
      await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({
        code: 'unsupported-version',
      });
      expect(analysisOps(tablet)).toHaveLength(count);
    }
  });

  test('a record holds 5,000 strokes in any version, and an oversized one is reported', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    const scribble = (n: number, places: number): FreeDrawMark => ({
      kind: 'stroke',
      since: n,
      paints: plating,
      points: Array.from(
        { length: places },
        (_, i) => [((i * 37_117 + n * 7) % 100_000) / 1e5, ((i * 91_331 + n) % 100_000) / 1e5] as const,
      ),
    });
    const many = Array.from({ length: 5000 }, (_, n) => scribble(n, 20));
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    await analyses.journal(image).apply({ kind: 'add', mark: scribble(2, 200_000) });
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1), scribble(2, 200_000)]);
    await expect(
      analyses.saveFreeDraw(
        result(
          image,
          [1, 2, 3].map((n) => scribble(n, 200_000)),
        ),
      ),
    ).rejects.toMatchObject({ code: 'too-large' });
    await expect(
      analyses.saveFreeDraw(
        result(image, [
          {
            ...stroke(1),
            points: [
              [0, 0],
              [NaN, 1],
            ],
          } as FreeDrawMark,
        ]),
      ),
    ).rejects.toMatchObject({ code: 'bad-message' });
    expect((await analyses.freeDraw(image)).marks).toHaveLength(2);
    for (const version of [1, 3] as const) {
      await analyses.saveFreeDraw(result(image, many, { version }));
      const { marks } = await analyses.freeDraw(image);
      expect(marks).toEqual(many);
    }
  });

  test('concurrent work from another tablet is kept as a conflict for a person to resolve', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const { store, opIndex } = tablet.context;
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)]));
    await analyses.freeDraw(image);
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(2) });
    const before = await readDocument(tablet.context, 'analysis', id);
    const uid = people.current.get()!.uid;
    const edit = draftEdit(
      before,
      { ...before.folded.doc, stats: { coverage: 0.9, categories: [] } },
      { by: uid, madeAt: '2026-11-22T00:00:00.000Z', schema: 1 },
    )!;
    const op = sealOp(edit, opIdOf('OtherTablet00001', 1), (await store.host.sha256(hashedText(edit.body))) as never);
    await ingestPage(store, opIndex, [{ op, by: uid }], [], {
      nodeId: 'Feed000000000001',
      storeEpoch: 'Epoch00000000001',
      next: 1,
    });
    await opIndex.follow();
    // Opened in another tab of this tablet, it continues from the same start.
    const again = await open(tablet.origin, tablet.database);
    const work = await again.repositories.census.analyses.freeDraw(image);
    expect(work).toMatchObject({ from: 'unfinished', analysisId: id, marks: [stroke(1), stroke(2)] });
    await again.repositories.census.analyses.saveFreeDraw(result(image, work.marks, { analysisId: id }));
    expect((await readDocument(again.context, 'analysis', id)).folded.conflicts).toHaveLength(1);
  });

  test('an expert’s percentages are saved with the traces in one record', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    expect(await analyses.expertForm(image)).toBeNull();
    const form = {
      percent: { 'branching-live': 40, 'branching-dead': 2.5 },
      dominantCoral: 'Acropora',
      isBadImage: false,
    };
    const id = await analyses.saveExpertForm(image, null, form);
    expect(await analyses.expertForm(image)).toEqual({ analysisId: id, form, readOnly: null });
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'nothing', analysisId: id, marks: [] });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1)]))).toBe(id);
    await analyses.saveExpertForm(image, id, { ...form, isBadImage: true });
    expect(await analyses.expertForm(image)).toMatchObject({ form: { isBadImage: true } });
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'stored', marks: [stroke(1)] });
    await expect(
      analyses.saveExpertForm(image, id, { ...form, percent: { 'branching-live': 101 } }),
    ).rejects.toMatchObject({ code: 'bad-message' });
  });
});

describe('2§3 percentages typed during an unsaved tracing', () => {
  const form = { percent: { 'branching-live': 40 }, dominantCoral: '', isBadImage: false };

  test('one record holds both if the photograph had no analysis', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    const id = await analyses.saveExpertForm(image, null, form);
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', marks: [stroke(1)] });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1)]))).toBe(id);
    expect(await analyses.expertForm(image)).toMatchObject({ analysisId: id, form });
    expect(await items(analyses.mine, (all) => all.some(({ kind }) => kind !== 'form'))).toHaveLength(1);
    expect((await readDocument(tablet.context, 'analysis', id)).folded.conflicts).toEqual([]);
  });

  test('the tracing continues from them without a conflict if it had one', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
    } = tablet.repositories;
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)]));
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(2) });
    expect(await analyses.saveExpertForm(image, null, form)).toBe(id);
    expect(await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)], { analysisId: id }))).toBe(id);
    expect(await analyses.expertForm(image)).toMatchObject({ analysisId: id, form });
    const { folded } = await readDocument(tablet.context, 'analysis', id);
    expect(readFreeDraw(folded.doc)).toMatchObject({ marks: [stroke(1), stroke(2)] });
    expect(folded.conflicts).toEqual([]);
  });
});

describe('2§4 events during a save', () => {
  const BEN = { email: 'ben@example.org', name: { first: 'Ben', last: 'Deep' } };

  test('a user switch during the save never signs work of another person', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const ana = people.current.get()!.uid;
    await analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    const turning = Object.assign(new Blob([Uint8Array.of(1, 2, 3)]), {
      arrayBuffer: async () => {
        await people.createPending(BEN);
        return new ArrayBuffer(3);
      },
    });
    await expect(
      analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana, preview: turning })),
    ).rejects.toMatchObject({ code: 'unlinked-survey' });
    expect(people.current.get()).toMatchObject({ name: { first: 'Ben' } });
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana }))).rejects.toMatchObject({
      code: 'unlinked-survey',
    });
    expect(analysisOps(tablet)).toEqual([]);
    await people.createPending(ANA);
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', marks: [stroke(1)] });
    await analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana }));
    expect(analysisOps(tablet)).toHaveLength(1);
  });

  test('a kill around any transaction leaves strokes or analysis whole and saves once', async () => {
    let isThrough = false;
    for (let at = 0; !isThrough; at++) {
      for (const when of ['before', 'after'] as const) {
        const first = await open();
        const { image } = await withPhotograph(first);
        await first.repositories.census.analyses.freeDraw(image);
        const journal = first.repositories.census.analyses.journal(image);
        for (const n of [1, 2, 3]) await journal.apply({ kind: 'add', mark: stroke(n) });
        await journal.apply({ kind: 'undo' });
        const { db } = first.context.store;
        const transaction = db.transaction.bind(db) as (...given: unknown[]) => Promise<unknown>;
        let n = 0;
        const cut = (): Promise<never> =>
          Promise.reject(Object.assign(new Error('no room'), { name: 'QuotaExceededError' }));
        Object.assign(db, {
          transaction: async (...given: unknown[]) => {
            const mine = n++;
            if (mine === at && when === 'before') return cut();
            const value = await transaction(...given);
            return mine === at ? cut() : value;
          },
        });
        const done = await first.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)])).then(
          () => true,
          () => false,
        );
        isThrough = n <= at;
        const again = await open(first.origin, first.database);
        const there = await again.repositories.census.analyses.image(image.survey.id, image.id);
        const work = await again.repositories.census.analyses.freeDraw(there);
        expect([at, when, work.marks]).toEqual([at, when, [stroke(1), stroke(2)]]);
        expect(work.from === 'stored' || !done).toBe(true);
        expect(work.undone).toEqual(work.from === 'stored' ? [] : [stroke(3)]);
        await again.repositories.census.analyses.saveFreeDraw(result(there, [stroke(1), stroke(2)]));
        expect(await items(again.repositories.census.analyses.mine, (all) => all.length > 0)).toHaveLength(1);
        expect(await again.context.store.db.journals.count()).toBe(0);
        await closeAll();
      }
    }
  });

  test('a photograph or survey deleted during tracing keeps the work, saved or not', async () => {
    for (const gone of ['photograph', 'survey'] as const) {
      const tablet = await open();
      const { image, ids, surveyId } = await withPhotograph(tablet, 2);
      const {
        census: { analyses, images, surveys },
      } = tablet.repositories;
      await analyses.freeDraw(image);
      await analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
      if (gone === 'photograph') await images.remove(ids[0]!);
      else await surveys.remove(surveyId);
      await analyses.journal(image).apply({ kind: 'add', mark: stroke(2) });
      const id = await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]));
      expect(readFreeDraw((await readDocument(tablet.context, 'analysis', id)).folded.doc)).toMatchObject({
        marks: [stroke(1), stroke(2)],
      });
      expect(await tablet.context.store.db.journals.count()).toBe(0);
    }
  });
});
