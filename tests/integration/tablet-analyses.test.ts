import { afterEach, describe, expect, test } from 'vitest';
import type { FreeDrawResult, Observable, Person, Read, TraceImage } from '../../src/data/repositories';
import { append } from '../../src/data/ops/append';
import { takePage } from '../../src/data/ops/take-in';
import { draftFacts, seen } from '../../src/data/repositories/parts';
import { becomePerson } from '../../src/data/repositories/person-repository';
import type { Cell } from '../../src/data/transport/signal';
import type { FreeDrawMark } from '../../src/domain/analysis/free-draw/marks';
import { categoryClass } from '../../src/domain/analysis/free-draw/categories';
import { readFreeDraw } from '../../src/domain/analysis/free-draw/record';
import type { ImageId, SurveyId } from '../../src/domain/ids';
import { opIdOf } from '../../src/domain/ids';
import { draftEdit, sealOp } from '../../src/domain/op/draft';
import { hashedText } from '../../src/protocol/hash';
import type { JsonObject } from '../../src/domain/json';
import type { Origin } from '../support/tablet';
import { newOrigin, openTestTablet, photograph, until } from '../support/tablet';

const plating = categoryClass('reef_hardcoral_plating', 'live')!;
const water = categoryClass('background_water')!;
const ANA = { email: 'ana@example.org', name: { first: 'Ana', last: 'Reef' } };
const draft = { name: 'Agincourt', date: '2026-11-20', type: 'scuba' as const, location: { id: 'reef-16-071', regionId: 'gbr' as const, name: 'Agincourt' } };

type Opened = Awaited<ReturnType<typeof openTestTablet>>;
const tablets: Opened[] = [];
afterEach(async () => {
  for (const tablet of tablets.splice(0)) await tablet.close();
});

async function open(origin: Origin = newOrigin(), database?: string): Promise<Opened> {
  const tablet = await openTestTablet({ origin, ...(database === undefined ? {} : { database }) });
  tablets.push(tablet);
  return tablet;
}

async function withPhotograph(tablet: Opened, n = 1): Promise<{ surveyId: SurveyId; ids: ImageId[]; image: TraceImage }> {
  const { people, surveys, images, analyses } = tablet.repositories;
  if (people.current.get() === null) await people.enter(ANA);
  const surveyId = await surveys.add(draft);
  const ids: ImageId[] = [];
  for (let i = 0; i < n; i++) ids.push((await images.addPhotograph(photograph(i + 1, 4000, `G${i}.JPG`), surveyId)).id);
  return { surveyId, ids, image: await analyses.image(surveyId, ids[0]!) };
}

const stroke = (n: number, paints: FreeDrawMark['paints'] = plating): FreeDrawMark => ({ kind: 'stroke', since: 1000 + n, paints, points: [[0, n / 10_000], [0.25, 0.5], [0.5, 0.12345], [1, 1]] });
const result = (image: TraceImage, marks: readonly FreeDrawMark[], more: Partial<FreeDrawResult> = {}): FreeDrawResult => ({ image, analysisId: null, version: 3, marks, width: 4000, height: 3000, stats: { coverage: 0.5, categories: [] }, preview: null, ...more });

async function items<Item>(live: Observable<Read<Item>>, enough: (items: readonly Item[]) => boolean): Promise<readonly Item[]> {
  const stop = live.subscribe(() => undefined);
  try {
    return await until(() => {
      const read = live.get();
      return read.status === 'ready' && enough(read.items) ? read.items : undefined;
    }, 'the list');
  } finally {
    stop();
  }
}

const analysisOps = (tablet: Opened) => [...tablet.parts.ledger.entries.values()].filter(({ kind }) => kind === 'analysis');

describe('2§4 strokes are kept as they are drawn', () => {
  test('after a kill between two strokes all that settled is there, with what was taken back', async () => {
    const first = await open();
    const { image } = await withPhotograph(first);
    expect(await first.repositories.analyses.freeDraw(image)).toMatchObject({ from: 'nothing', analysisId: null, marks: [] });
    const journal = first.repositories.analyses.journal(image);
    await Promise.all([journal.add(stroke(1)), journal.add(stroke(2)), journal.add({ kind: 'zap', since: 5, paints: water }), journal.undo()]);
    await journal.add(stroke(3, 'erase'));
    await journal.add(stroke(4));
    await journal.undo();
    // Killed: nothing is closed in good order.
    const again = await open(first.origin, first.database);
    const work = await again.repositories.analyses.freeDraw(await again.repositories.analyses.image(image.survey.id, image.id));
    expect(work).toMatchObject({ from: 'unfinished', analysisId: null, marks: [stroke(1), stroke(2), stroke(3, 'erase')], undone: [stroke(4)], damaged: 0 });
    expect(await items(again.repositories.analyses.unfinished, (all) => all.length > 0)).toMatchObject([{ imageId: image.id, surveyId: image.survey.id, surveyName: 'Agincourt', marks: 3 }]);
    await again.repositories.analyses.journal(image).redo();
    await again.repositories.analyses.journal(image).clear();
    await again.repositories.analyses.journal(image).add(stroke(9));
    expect((await again.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(9)]);
  });

  test('a damaged row costs that row, a lost one likewise, and both are told', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const journal = tablet.repositories.analyses.journal(image);
    for (let n = 1; n <= 5; n++) await journal.add(stroke(n));
    const { db } = tablet.parts.store;
    const keys = (await db.journals.toCollection().primaryKeys()) as string[];
    await db.journals.delete(keys[2]!);
    await db.journals.update(keys[4]!, { entries: [{ do: 'add', mark: { kind: 'stroke', since: NaN } }] });
    expect(await tablet.repositories.analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', marks: [stroke(1), stroke(3), stroke(5)], damaged: 2 });
  });

  test('a stroke that was stored though the storage was lost before it said so is there once', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const journal = tablet.repositories.analyses.journal(image);
    await tablet.repositories.analyses.freeDraw(image);
    const { db } = tablet.parts.store;
    const transaction = db.transaction.bind(db) as (...given: unknown[]) => Promise<unknown>;
    let lost = 0;
    Object.assign(db, {
      transaction: async (...given: unknown[]) => {
        const value = await transaction(...given);
        if (lost++ === 0) throw Object.assign(new Error('the storage process ended'), { name: 'DatabaseClosedError' });
        return value;
      },
    });
    await journal.add(stroke(1));
    await journal.add(stroke(2));
    expect(lost).toBeGreaterThan(1);
    expect((await tablet.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2)]);
  });

  test('a second tab on the same photograph is told, and tears nothing', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.analyses.freeDraw(image);
    await one.repositories.analyses.journal(image).add(stroke(1));
    const two = await open(one.origin, one.database);
    expect((await two.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(1)]);
    const theirs = two.repositories.analyses.journal(image);
    await theirs.add(stroke(2));
    const mine = one.repositories.analyses.journal(image);
    await expect(mine.undo()).rejects.toMatchObject({ code: 'forbidden', details: { field: 'journal' } });
    await expect(one.repositories.analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'forbidden' });
    await theirs.add(stroke(3));
    expect((await one.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2), stroke(3)]);
    await mine.undo();
    expect((await one.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2)]);
  });

  test('a tab whose journal another one ended and began anew tears nothing, though it has as many rows', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.analyses.freeDraw(image);
    const mine = one.repositories.analyses.journal(image);
    for (const n of [1, 2]) await mine.add(stroke(n));
    const two = await open(one.origin, one.database);
    expect((await two.repositories.analyses.freeDraw(image)).marks).toHaveLength(2);
    await two.repositories.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]));
    const theirs = two.repositories.analyses.journal(image);
    for (const n of [3, 4]) await theirs.add(stroke(n));
    await expect(one.repositories.analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'forbidden' });
    await expect(mine.add(stroke(9))).rejects.toMatchObject({ code: 'forbidden', details: { field: 'journal' } });
    expect((await two.repositories.analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2), stroke(3), stroke(4)]);
  });

  test('a photograph that another tab traced and saved since this one opened it is not traced a second time', async () => {
    const one = await open();
    const { image } = await withPhotograph(one);
    await one.repositories.analyses.freeDraw(image);
    const two = await open(one.origin, one.database);
    await two.repositories.analyses.freeDraw(image);
    await two.repositories.analyses.journal(image).add(stroke(1));
    const id = await two.repositories.analyses.saveFreeDraw(result(image, [stroke(1)]));
    const mine = one.repositories.analyses.journal(image);
    await expect(mine.add(stroke(9))).rejects.toMatchObject({ code: 'forbidden', details: { field: 'journal' } });
    expect(await one.repositories.analyses.freeDraw(image)).toMatchObject({ analysisId: id, from: 'stored', marks: [stroke(1)] });
    await mine.add(stroke(2));
    expect(await one.repositories.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]))).toBe(id);
    expect(new Set(analysisOps(one).map(({ docId }) => docId))).toEqual(new Set([id]));
  });

  test('a place that is none is refused, and what is drawn by somebody else on this tablet is theirs alone', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses, people } = tablet.repositories;
    const journal = analyses.journal(image);
    await expect(journal.add({ ...stroke(1), points: [[0, NaN]] } as FreeDrawMark)).rejects.toMatchObject({ code: 'bad-message' });
    await journal.add({ ...stroke(1), points: [[-0.5, 1.5], [0.00001, 0.99999]] } as FreeDrawMark);
    await people.leave();
    await expect(journal.add(stroke(2))).rejects.toMatchObject({ code: 'unlinked-survey' });
    expect(await analyses.next({ isExpert: false, except: [] })).toEqual({ none: 'nobody-here' });
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'unlinked-survey' });
    await people.enter({ email: 'ben@example.org', name: { first: 'Ben', last: 'Deep' } });
    expect(await items(analyses.unfinished, () => true)).toEqual([]);
    await expect(analyses.image(image.survey.id, image.id)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('2§3, 2§4 saving', () => {
  test('is one operation with which the journal ends; it is found, edited and listed', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    await analyses.journal(image).add(stroke(1));
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)], { preview: new Blob([Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)]) }));
    expect(await tablet.parts.store.db.journals.count()).toBe(0);
    expect(analysisOps(tablet)).toHaveLength(1);
    const [view] = await items(analyses.mine, (all) => all.length === 1);
    expect(view).toMatchObject({ id, imageId: image.id, version: 3, coverage: 0.5, isForm: false, isVerified: false, survey: { name: 'Agincourt' } });
    expect(view!.preview?.type).toBe('image/jpeg');
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'stored', analysisId: id, marks: [stroke(1)], size: { width: 4000, height: 3000 }, readOnly: null });
    await analyses.journal(image).add(stroke(2));
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', analysisId: id, marks: [stroke(1), stroke(2)] });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)], { analysisId: id }))).toBe(id);
    expect(await analyses.saveFreeDraw(result(image, [stroke(2)], { analysisId: id }))).toBe(id);
    const [edited] = await items(analyses.mine, (all) => all[0]?.preview === null);
    expect(edited).toMatchObject({ id });
    expect(analysisOps(tablet)).toHaveLength(3);
    expect(await analyses.stored(id)).toMatchObject({ version: 3, marks: [stroke(2)], size: { width: 4000, height: 3000 }, imageId: image.id });
    const conflicts = (await tablet.parts.model).find('analysis', { id });
    expect((await conflicts)[0]?.conflicts).toEqual([]);
  });

  test('the storage being full keeps the journal, and what was refused is kept once it is given again', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    const journal = analyses.journal(image);
    await journal.add(stroke(1));
    const { db } = tablet.parts.store;
    const full = (): never => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    db.ops.hook('creating', full);
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'storage-full' });
    db.ops.hook('creating').unsubscribe(full);
    db.journals.hook('creating', full);
    await expect(journal.add(stroke(2))).rejects.toMatchObject({ code: 'storage-full' });
    db.journals.hook('creating').unsubscribe(full);
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1)]);
    await journal.add(stroke(2));
    await journal.add(stroke(3));
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1), stroke(2), stroke(3)]);
    await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2), stroke(3)]));
    expect([await db.journals.count(), analysisOps(tablet).length]).toEqual([0, 1]);
  });

  test('a class that is no more is counted and survives; a record that is broken or of another version is never written over', async () => {
    const tablet = await open();
    const { ids, surveyId } = await withPhotograph(tablet, 2);
    const { analyses } = tablet.repositories;
    const { store, ledger } = tablet.parts;
    const image = await analyses.image(surveyId, ids[0]!);
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)], { version: 1 }));
    const put = async (change: (body: JsonObject) => JsonObject): Promise<void> => {
      const before = await seen(tablet.parts, 'analysis', id);
      await append(store, draftEdit(before, change(before.folded.doc), draftFacts(tablet.parts, 'analysis'))!);
      await ledger.follow();
    };
    await put((body) => ({ ...body, geojson: (body['geojson'] as string).replace('"id":"reef_hardcoral_plating"', '"id":"reef_gone"') }));
    const work = await analyses.freeDraw(image);
    expect([work.marks, [...work.unknown], work.analysisId]).toEqual([[], [['reef_gone', 1]], id]);
    await analyses.journal(image).add(stroke(2));
    expect([...(await analyses.freeDraw(image)).unknown]).toEqual([['reef_gone', 1]]);
    await analyses.saveFreeDraw(result(image, [stroke(2)]));
    const after = (await (await tablet.parts.model).find('analysis', { id }))[0];
    await until(async () => {
      const [now] = await (await tablet.parts.model).find('analysis', { id });
      const read = readFreeDraw(now?.doc ?? {});
      return read.is === 'free-draw' && read.marks.length === 1 && read.unknown.get('reef_gone') === 1;
    }, `the kept trace, after ${after?.updatedAt}`);

    for (const [wrong, why] of [[{ geobuf: 'nonsense!' }, 'broken'], [{ version: 6 }, 'other-version']] as const) {
      await put((body) => ({ ...body, ...wrong }));
      expect(await analyses.freeDraw(image)).toMatchObject({ readOnly: why, analysisId: id, marks: [] });
      const count = analysisOps(tablet).length;
      await expect(analyses.journal(image).add(stroke(1))).rejects.toMatchObject({ code: 'unsupported-version' });
      await expect(analyses.saveFreeDraw(result(image, [stroke(1)]))).rejects.toMatchObject({ code: 'unsupported-version' });
      expect(analysisOps(tablet)).toHaveLength(count);
    }
  });

  test('5,000 strokes fit a record, whatever its version; what no record can hold is said and stays', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    const scribble = (n: number, places: number): FreeDrawMark => ({ kind: 'stroke', since: n, paints: plating, points: Array.from({ length: places }, (_, i) => [((i * 37_117 + n * 7) % 100_000) / 1e5, ((i * 91_331 + n) % 100_000) / 1e5] as const) });
    const many = Array.from({ length: 5000 }, (_, n) => scribble(n, 20));
    await analyses.journal(image).add(stroke(1));
    await analyses.journal(image).add(scribble(2, 200_000));
    expect((await analyses.freeDraw(image)).marks).toEqual([stroke(1), scribble(2, 200_000)]);
    await expect(analyses.saveFreeDraw(result(image, [1, 2, 3].map((n) => scribble(n, 200_000))))).rejects.toMatchObject({ code: 'too-large' });
    await expect(analyses.saveFreeDraw(result(image, [{ ...stroke(1), points: [[0, 0], [NaN, 1]] } as FreeDrawMark]))).rejects.toMatchObject({ code: 'bad-message' });
    expect((await analyses.freeDraw(image)).marks).toHaveLength(2);
    for (const version of [1, 3] as const) {
      await analyses.saveFreeDraw(result(image, many, { version }));
      const { marks } = await analyses.freeDraw(image);
      expect(marks).toEqual(many);
    }
  });

  test('what another tablet wrote while somebody drew is not replaced unseen: both stand, for a person to settle', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses, people } = tablet.repositories;
    const { store, ledger } = tablet.parts;
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)]));
    await analyses.freeDraw(image);
    await analyses.journal(image).add(stroke(2));
    const before = await seen(tablet.parts, 'analysis', id);
    const uid = people.current.get()!.uid;
    const edit = draftEdit(before, { ...before.folded.doc, stats: { coverage: 0.9, categories: [] } }, { by: uid, madeAt: '2026-11-22T00:00:00.000Z', schema: 1 })!;
    const op = sealOp(edit, opIdOf('OtherTablet00001', 1), (await store.host.sha256(hashedText(edit.body))) as never);
    await takePage(store, ledger, [{ op, by: uid }], [], { nodeId: 'Feed000000000001', storeEpoch: 'Epoch00000000001', next: 1 });
    await ledger.follow();
    // Opened again in another tab of this tablet, too: it goes on from what the work began with.
    const again = await open(tablet.origin, tablet.database);
    const work = await again.repositories.analyses.freeDraw(image);
    expect(work).toMatchObject({ from: 'unfinished', analysisId: id, marks: [stroke(1), stroke(2)] });
    await again.repositories.analyses.saveFreeDraw(result(image, work.marks, { analysisId: id }));
    expect((await seen(again.parts, 'analysis', id)).folded.conflicts).toHaveLength(1);
  });

  test('an expert’s percentages stand beside the traces in one record', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    expect(await analyses.expertForm(image)).toBeNull();
    const form = { percent: { 'branching-live': 40, 'branching-dead': 2.5 }, dominantCoral: 'Acropora', isBadImage: false };
    const id = await analyses.saveExpertForm(image, null, form);
    expect(await analyses.expertForm(image)).toEqual({ analysisId: id, form, readOnly: null });
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'nothing', analysisId: id, marks: [] });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1)]))).toBe(id);
    await analyses.saveExpertForm(image, id, { ...form, isBadImage: true });
    expect(await analyses.expertForm(image)).toMatchObject({ form: { isBadImage: true } });
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'stored', marks: [stroke(1)] });
    await expect(analyses.saveExpertForm(image, id, { ...form, percent: { 'branching-live': 101 } })).rejects.toMatchObject({ code: 'bad-message' });
  });
});

describe('2§3 percentages that are typed while a tracing is begun and not saved', () => {
  const form = { percent: { 'branching-live': 40 }, dominantCoral: '', isBadImage: false };

  test('of a photograph that had no analysis: one record holds both', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    await analyses.journal(image).add(stroke(1));
    const id = await analyses.saveExpertForm(image, null, form);
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', marks: [stroke(1)] });
    expect(await analyses.saveFreeDraw(result(image, [stroke(1)]))).toBe(id);
    expect(await analyses.expertForm(image)).toMatchObject({ analysisId: id, form });
    expect(await items(analyses.mine, (all) => all.some(({ isForm }) => !isForm))).toHaveLength(1);
    expect((await seen(tablet.parts, 'analysis', id)).folded.conflicts).toEqual([]);
  });

  test('of one that had: the tracing goes on from them, and nobody has anything to settle', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories;
    const id = await analyses.saveFreeDraw(result(image, [stroke(1)]));
    await analyses.journal(image).add(stroke(2));
    expect(await analyses.saveExpertForm(image, null, form)).toBe(id);
    expect(await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)], { analysisId: id }))).toBe(id);
    expect(await analyses.expertForm(image)).toMatchObject({ analysisId: id, form });
    expect(await analyses.stored(id)).toMatchObject({ marks: [stroke(1), stroke(2)] });
    expect((await seen(tablet.parts, 'analysis', id)).folded.conflicts).toEqual([]);
  });
});

describe('2§4 unsaved strokes in a rescue copy', () => {
  test('come to another tablet, where they are gone on with; taken again after they were saved they double nothing', async () => {
    const from = await open();
    const { image } = await withPhotograph(from);
    await from.repositories.analyses.journal(image).add(stroke(1));
    await from.repositories.analyses.journal(image).add({ kind: 'zap', since: 2000, paints: water });
    const parts: BlobPart[] = [];
    let file = new Blob();
    const watching = { signal: new AbortController().signal, onProgress: () => undefined };
    await from.repositories.rescue.make({ write: async (part) => void parts.push(part), finish: async () => (file = new Blob(parts)), abandon: async () => undefined }, watching);

    const to = await open();
    const take = async (what: Blob) => (await to.repositories.rescue.open(what)).take(watching);
    await take(file);
    await becomePerson(to.parts.store, to.parts.person as Cell<Person | null>, from.repositories.people.current.get());
    const { analyses } = to.repositories;
    const there = await analyses.image(image.survey.id, image.id);
    expect(await analyses.freeDraw(there)).toMatchObject({ from: 'unfinished', marks: [stroke(1), { kind: 'zap' }], damaged: 0 });
    await analyses.journal(there).add(stroke(3));
    // What goes on here is not mixed with what the copy holds.
    await take(file);
    expect((await analyses.freeDraw(there)).marks).toHaveLength(3);
    const id = await analyses.saveFreeDraw(result(there, [stroke(1)]));
    await take(file);
    expect(await analyses.freeDraw(there)).toMatchObject({ from: 'stored', analysisId: id });
    expect(analysisOps(to)).toHaveLength(1);

    // Cut off within the strokes: all else is taken.
    const bytes = new Uint8Array(await file.arrayBuffer());
    const at = new TextDecoder('latin1').decode(bytes).lastIndexOf('"do":"add"');
    bytes[at + 6] = 0x58;
    const other = await open();
    expect(await (await other.repositories.rescue.open(new Blob([bytes]))).take(watching)).toMatchObject({ photographs: 1, damaged: 0 });
    expect(await other.parts.store.db.journals.count()).toBe(0);
  });
});

describe('2§4 whatever happens while it is saved', () => {
  const BEN = { email: 'ben@example.org', name: { first: 'Ben', last: 'Deep' } };

  test('somebody else who comes to the tablet signs nothing that they did not draw, at whatever moment they come', async () => {
    const tablet = await open();
    const { image } = await withPhotograph(tablet);
    const { analyses, people } = tablet.repositories;
    const ana = people.current.get()!.uid;
    await analyses.journal(image).add(stroke(1));
    const turning = Object.assign(new Blob([Uint8Array.of(1, 2, 3)]), {
      arrayBuffer: async () => {
        await people.enter(BEN);
        return new ArrayBuffer(3);
      },
    });
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana, preview: turning }))).rejects.toMatchObject({ code: 'unlinked-survey' });
    expect(people.current.get()).toMatchObject({ name: { first: 'Ben' } });
    await expect(analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana }))).rejects.toMatchObject({ code: 'unlinked-survey' });
    expect(analysisOps(tablet)).toEqual([]);
    await people.enter(ANA);
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'unfinished', marks: [stroke(1)] });
    await analyses.saveFreeDraw(result(image, [stroke(1)], { uid: ana }));
    expect(analysisOps(tablet)).toHaveLength(1);
  });

  test('a kill before or after any of its transactions leaves the strokes or the analysis, whole, and saved again it is there once', async () => {
    let isThrough = false;
    for (let at = 0; !isThrough; at++) {
      for (const when of ['before', 'after'] as const) {
        const first = await open();
        const { image } = await withPhotograph(first);
        await first.repositories.analyses.freeDraw(image);
        const journal = first.repositories.analyses.journal(image);
        for (const n of [1, 2, 3]) await journal.add(stroke(n));
        await journal.undo();
        const { db } = first.parts.store;
        const transaction = db.transaction.bind(db) as (...given: unknown[]) => Promise<unknown>;
        let n = 0;
        const cut = (): Promise<never> => Promise.reject(Object.assign(new Error('no room'), { name: 'QuotaExceededError' }));
        Object.assign(db, {
          transaction: async (...given: unknown[]) => {
            const mine = n++;
            if (mine === at && when === 'before') return cut();
            const value = await transaction(...given);
            return mine === at ? cut() : value;
          },
        });
        const done = await first.repositories.analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)])).then(() => true, () => false);
        isThrough = n <= at;
        const again = await open(first.origin, first.database);
        const there = await again.repositories.analyses.image(image.survey.id, image.id);
        const work = await again.repositories.analyses.freeDraw(there);
        expect([at, when, work.marks]).toEqual([at, when, [stroke(1), stroke(2)]]);
        expect(work.from === 'stored' || !done).toBe(true);
        expect(work.undone).toEqual(work.from === 'stored' ? [] : [stroke(3)]);
        await again.repositories.analyses.saveFreeDraw(result(there, [stroke(1), stroke(2)]));
        expect(await items(again.repositories.analyses.mine, (all) => all.length > 0)).toHaveLength(1);
        expect(await again.parts.store.db.journals.count()).toBe(0);
        for (const tablet of tablets.splice(0)) await tablet.close();
      }
    }
  });

  test('a photograph or survey that was deleted while it was traced: saving is refused or done, and what was drawn is there', async () => {
    for (const gone of ['photograph', 'survey'] as const) {
      const tablet = await open();
      const { image, ids, surveyId } = await withPhotograph(tablet, 2);
      const { analyses, images, surveys } = tablet.repositories;
      await analyses.freeDraw(image);
      await analyses.journal(image).add(stroke(1));
      if (gone === 'photograph') await images.remove(ids[0]!);
      else await surveys.remove(surveyId);
      await analyses.journal(image).add(stroke(2));
      const id = await analyses.saveFreeDraw(result(image, [stroke(1), stroke(2)]));
      expect((await analyses.stored(id)).marks).toEqual([stroke(1), stroke(2)]);
      expect(await tablet.parts.store.db.journals.count()).toBe(0);
    }
  });
});

describe('2§4 the photographs of this tablet', () => {
  test('one at a time that this person has not analysed, until none is left', async () => {
    const tablet = await open();
    const { ids, surveyId } = await withPhotograph(tablet, 3);
    const { analyses, images } = tablet.repositories;
    await images.remove(ids[2]!);
    const given: ImageId[] = [];
    for (let n = 0; n < 2; n++) {
      const next = await analyses.next({ isExpert: false, except: [] });
      if (!('image' in next)) throw new Error(next.none);
      expect(next.image).toMatchObject({ source: 'own', survey: { id: surveyId, name: 'Agincourt', regionId: 'gbr' }, path: null });
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
