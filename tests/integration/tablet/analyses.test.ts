import { describe, expect, test } from 'vitest';
import type { Person } from '../../../src/data/repositories';
import { setCurrentPerson } from '../../../src/data/repositories/account/person';
import type { ObservableValue } from '../../../src/base/observable';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import type { ImageId } from '../../../src/domain/ids';
import { water, open, withPhotograph, stroke, result, items, analysisOps } from '../../support/tablet/analyses';

describe('2§4 strokes are stored as they are drawn', () => {
  test('a kill between two strokes keeps every finished stroke and undo', async () => {
    const first = await open();
    const { image } = await withPhotograph(first);
    expect(await first.repositories.census.analyses.freeDraw(image)).toMatchObject({
      from: 'nothing',
      analysisId: null,
      marks: [],
    });
    const journal = first.repositories.census.analyses.journal(image);
    await Promise.all([
      journal.apply({ kind: 'add', mark: stroke(1) }),
      journal.apply({ kind: 'add', mark: stroke(2) }),
      journal.apply({ kind: 'add', mark: { kind: 'zap', since: 5, paints: water } }),
      journal.apply({ kind: 'undo' }),
    ]);
    await journal.apply({ kind: 'add', mark: stroke(3, 'erase') });
    await journal.apply({ kind: 'add', mark: stroke(4) });
    await journal.apply({ kind: 'undo' });
    // Killed: nothing is closed cleanly.
    const again = await open(first.origin, first.database);
    const work = await again.repositories.census.analyses.freeDraw(
      await again.repositories.census.analyses.image(image.survey.id, image.id),
    );
    expect(work).toMatchObject({
      from: 'unfinished',
      analysisId: null,
      marks: [stroke(1), stroke(2), stroke(3, 'erase')],
      undone: [stroke(4)],
      damaged: 0,
    });
    expect(await items(again.repositories.census.analyses.unfinished, (all) => all.length > 0)).toMatchObject([
      { imageId: image.id, surveyId: image.survey.id, surveyName: 'Agincourt', marks: 3 },
    ]);
    await again.repositories.census.analyses.journal(image).apply({ kind: 'redo' });
    await again.repositories.census.analyses.journal(image).apply({ kind: 'clear' });
    await again.repositories.census.analyses.journal(image).apply({ kind: 'add', mark: stroke(9) });
    expect((await again.repositories.census.analyses.freeDraw(image)).marks).toEqual([stroke(9)]);
  });

  test('a damaged or lost row costs that row alone, and both are reported', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const journal = tablet.repositories.census.analyses.journal(image);
    for (let n = 1; n <= 5; n++) await journal.apply({ kind: 'add', mark: stroke(n) });
    const { db } = tablet.context.store;
    const keys = (await db.journals.toCollection().primaryKeys()) as string[];
    await db.journals.delete(keys[2]!);
    await db.journals.update(keys[4]!, { entries: [{ do: 'add', mark: { kind: 'stroke', since: NaN } }] });
    expect(await tablet.repositories.census.analyses.freeDraw(image)).toMatchObject({
      from: 'unfinished',
      marks: [stroke(1), stroke(3), stroke(5)],
      damaged: 2,
    });
  });

  test('a stroke stored just before a storage failure is there once', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const journal = tablet.repositories.census.analyses.journal(image);
    await tablet.repositories.census.analyses.freeDraw(image);
    const { db } = tablet.context.store;
    const transaction = db.transaction.bind(db) as (...given: unknown[]) => Promise<unknown>;
    let lost = 0;
    Object.assign(db, {
      transaction: async (...given: unknown[]) => {
        const value = await transaction(...given);
        if (lost++ === 0) throw Object.assign(new Error('the storage process ended'), { name: 'DatabaseClosedError' });
        return value;
      },
    });
    await journal.apply({ kind: 'add', mark: stroke(1) });
    await journal.apply({ kind: 'add', mark: stroke(2) });
    expect(lost).toBeGreaterThan(1);
    expect((await tablet.repositories.census.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2)]);
  });

  test('a second tab on the same photograph is notified and damages nothing', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.census.analyses.freeDraw(image);
    await one.repositories.census.analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    const two = await open(one.origin, one.database);
    expect((await two.repositories.census.analyses.freeDraw(image)).marks).toEqual([stroke(1)]);
    const theirs = two.repositories.census.analyses.journal(image);
    await theirs.apply({ kind: 'add', mark: stroke(2) });
    const mine = one.repositories.census.analyses.journal(image);
    await expect(mine.apply({ kind: 'undo' })).rejects.toMatchObject({
      code: 'forbidden',
      details: { field: 'journal' },
    });
    await expect(one.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await theirs.apply({ kind: 'add', mark: stroke(3) });
    expect((await one.repositories.census.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2), stroke(3)]);
    await mine.apply({ kind: 'undo' });
    expect((await one.repositories.census.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2)]);
  });

  test('a tab whose journal another tab restarted damages nothing', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.census.analyses.freeDraw(image);
    const mine = one.repositories.census.analyses.journal(image);
    for (const n of [1, 2]) await mine.apply({ kind: 'add', mark: stroke(n) });
    const two = await open(one.origin, one.database);
    expect((await two.repositories.census.analyses.freeDraw(image)).marks).toHaveLength(2);
    await two.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]));
    const theirs = two.repositories.census.analyses.journal(image);
    for (const n of [3, 4]) await theirs.apply({ kind: 'add', mark: stroke(n) });
    await expect(one.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(mine.apply({ kind: 'add', mark: stroke(9) })).rejects.toMatchObject({
      code: 'forbidden',
      details: { field: 'journal' },
    });
    expect((await two.repositories.census.analyses.freeDraw(image)).marks).toEqual([
      stroke(1),
      stroke(2),
      stroke(3),
      stroke(4),
    ]);
  });

  test('a photograph saved by another tablet is not traced twice', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.census.analyses.freeDraw(image);
    const two = await open(one.origin, one.database);
    await two.repositories.census.analyses.freeDraw(image);
    await two.repositories.census.analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    const id = await two.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1)]));
    const mine = one.repositories.census.analyses.journal(image);
    await expect(mine.apply({ kind: 'add', mark: stroke(9) })).rejects.toMatchObject({
      code: 'forbidden',
      details: { field: 'journal' },
    });
    expect(await one.repositories.census.analyses.freeDraw(image)).toMatchObject({
      analysisId: id,
      from: 'stored',
      marks: [stroke(1)],
    });
    await mine.apply({ kind: 'add', mark: stroke(2) });
    expect(await one.repositories.census.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]))).toBe(id);
    expect(new Set(analysisOps(one).map(({ docId }) => docId))).toEqual(new Set([id]));
  });

  test('an invalid position is refused, and a draft belongs to its author', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const {
      census: { analyses },
      account: { people },
    } = tablet.repositories;
    const journal = analyses.journal(image);
    await expect(
      journal.apply({ kind: 'add', mark: { ...stroke(1), points: [[0, NaN]] } as FreeDrawMark }),
    ).rejects.toMatchObject({ code: 'bad-message' });
    await journal.apply({
      kind: 'add',
      mark: {
        ...stroke(1),
        points: [
          [-0.5, 1.5],
          [0.00001, 0.99999],
        ],
      } as FreeDrawMark,
    });
    await people.clearCurrent();
    await expect(journal.apply({ kind: 'add', mark: stroke(2) })).rejects.toMatchObject({ code: 'unlinked-survey' });
    expect(await analyses.next({ isExpert: false, except: [] })).toEqual({ none: 'nobody-here' });
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'unlinked-survey' });
    await people.createPending({ email: 'ben@example.org', name: { first: 'Ben', last: 'Deep' } });
    expect(await items(analyses.unfinished, () => true)).toEqual([]);
    await expect(analyses.image(image.survey.id, image.id)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('2§4 unsaved strokes in a rescue copy', () => {
  test('strokes continue on another tablet, and a second import duplicates nothing', async () => {
    const from = await open();
    const { image } = await withPhotograph(from);
    await from.repositories.census.analyses.journal(image).apply({ kind: 'add', mark: stroke(1) });
    await from.repositories.census.analyses
      .journal(image)
      .apply({ kind: 'add', mark: { kind: 'zap', since: 2000, paints: water } });
    const parts: BlobPart[] = [];
    let file = new Blob();
    const watching = { signal: new AbortController().signal, onProgress: () => undefined };
    await from.repositories.custody.rescue.createCopy(
      {
        write: async (part) => void parts.push(part),
        finish: async () => (file = new Blob(parts)),
        abandon: async () => undefined,
      },
      watching,
    );

    const to = await open();
    const take = async (what: Blob) => (await to.repositories.custody.rescue.open(what)).importCopy(watching);
    await take(file);
    await setCurrentPerson(
      to.context.store,
      to.context.person as ObservableValue<Person | null>,
      from.repositories.account.people.current.get(),
    );
    const {
      census: { analyses },
    } = to.repositories;
    const there = await analyses.image(image.survey.id, image.id);
    expect(await analyses.freeDraw(there)).toMatchObject({
      from: 'unfinished',
      marks: [stroke(1), { kind: 'zap' }],
      damaged: 0,
    });
    await analyses.journal(there).apply({ kind: 'add', mark: stroke(3) });
    // Local strokes are not mixed with those of the copy.
    await take(file);
    expect((await analyses.freeDraw(there)).marks).toHaveLength(3);
    const id = await analyses.saveFreeDraw(result(there, [stroke(1)]));
    await take(file);
    expect(await analyses.freeDraw(there)).toMatchObject({ from: 'stored', analysisId: id });
    expect(analysisOps(to)).toHaveLength(1);

    // Truncated within the strokes: everything else is imported.
    const bytes = new Uint8Array(await file.arrayBuffer());
    const at = new TextDecoder('latin1').decode(bytes).lastIndexOf('"do":"add"');
    bytes[at + 6] = 0x58;
    const other = await open();
    expect(await (await other.repositories.custody.rescue.open(new Blob([bytes]))).importCopy(watching)).toMatchObject({
      photographs: 1,
      damaged: 0,
    });
    expect(await other.context.store.db.journals.count()).toBe(0);
  });
});

describe('2§4 photographs on this tablet', () => {
  test('photographs new to this person are offered one at a time until none is left', async () => {
    const tablet = await open();
    const { ids, surveyId } = await withPhotograph(tablet, 3);
    const {
      census: { analyses, images },
    } = tablet.repositories;
    await images.remove(ids[2]!);
    const given: ImageId[] = [];
    for (let n = 0; n < 2; n++) {
      const next = await analyses.next({ isExpert: false, except: [] });
      if (!('image' in next)) throw new Error(next.none);
      expect(next.image).toMatchObject({
        source: 'own',
        survey: { id: surveyId, name: 'Agincourt', regionId: 'gbr' },
        path: null,
      });
      expect((await analyses.picture(next.image, 2000)).size).toBe('original');
      given.push(next.image.id);
      await analyses.saveFreeDraw(result(next.image, [stroke(1)]));
    }
    expect(new Set(given)).toEqual(new Set(ids.slice(0, 2)));
    expect(await analyses.next({ isExpert: false, except: [] })).toEqual({ none: 'no-link' });
    await expect(analyses.image(surveyId, ids[2]!)).rejects.toMatchObject({ code: 'not-found' });
    await expect(analyses.image(surveyId, 'Nosuchimage00001' as ImageId)).rejects.toMatchObject({ code: 'not-found' });
  });
});
