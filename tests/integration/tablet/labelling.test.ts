import { describe, expect, test } from 'vitest';
import { applyLabelEdit } from '../../../src/domain/analysis/labelling/labelling';
import type { LabelEdit, LabelLogs } from '../../../src/domain/analysis/labelling/label-marks';
import type { ObservableValue } from '../../../src/base/observable';
import type { Person } from '../../../src/data/repositories';
import { setCurrentPerson } from '../../../src/data/repositories/account/person';
import { analysisOps, items, open, result, stroke, withPhotograph } from '../../support/tablet/analyses';
import type { Opened } from '../../support/tablet/analyses';
import { OUTLINES, answer, fixedSegmenter, label, labelled } from '../../support/tablet/labelling';
import { newOrigin } from '../../support/tablet/tablet';

const PUBLIC = { version: 2.4, isExpert: false };
const start = (origin = newOrigin(), database?: string): Promise<Opened> =>
  open(origin, database, { segmenter: fixedSegmenter() });
const logsAfter = (edits: readonly LabelEdit[], first: LabelLogs = {}): LabelLogs =>
  edits.reduce(applyLabelEdit, first);

describe('2§4 labels are stored as they are given', () => {
  test('2§4 a kill in the fourth label keeps three, with outlines, version and undone labels', async () => {
    const first = await start();
    const { image } = await withPhotograph(first);
    const { analyses } = first.repositories.census;
    expect(await analyses.labelling(image, PUBLIC)).toEqual({
      analysisId: null,
      version: 2.4,
      from: 'nothing',
      readOnly: null,
      outlines: OUTLINES,
      logs: {},
      sessions: [],
      damaged: 0,
      isPictureChanged: false,
    });
    const edits: readonly LabelEdit[] = [
      label(0),
      label(1, 'massive'),
      label(2),
      label(3),
      { step: 'labels', kind: 'undo' },
      answer('hardCoral', 'hard'),
    ];
    const journal = analyses.labelJournal(image);
    await Promise.all(edits.map((edit) => journal.apply(edit)));
    // The fourth label is cut in its transaction: nothing is closed cleanly.
    const { db } = first.context.store;
    const kill = (): never => {
      throw new Error('killed');
    };
    db.journals.hook('creating', kill);
    await expect(journal.apply(label(3, 'massive'))).rejects.toThrow();

    // Other outlines are made now: those of the work stay.
    const again = await open(first.origin, first.database, {
      segmenter: fixedSegmenter({ ...OUTLINES, outlines: [] }),
    });
    const work = await again.repositories.census.analyses.labelling(image, { version: 2.1, isExpert: false });
    expect(work).toMatchObject({ from: 'unfinished', version: 2.4, outlines: OUTLINES, damaged: 0 });
    expect(work.logs).toEqual(logsAfter(edits));
    expect(work.sessions).toHaveLength(1);
    expect(await items(again.repositories.census.analyses.unfinished, (all) => all.length > 0)).toMatchObject([
      { kind: 'labels', version: 2.4, imageId: image.id, surveyName: 'Agincourt', marks: 4 },
    ]);
  });

  test('2§4 tracing, labelling and percentages of one photograph never disturb each other', async () => {
    const tablet = await start();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories.census;
    await analyses.labelling(image, PUBLIC);
    await analyses.labelJournal(image).apply(label(0));
    await analyses.journal(image, 1).apply({ kind: 'add', mark: stroke(1) });
    const draft = { texts: { 'branching-live': '12,' }, dominantCoral: '', isBadImage: false };
    await analyses.formJournal(image).apply(draft);
    await analyses.labelJournal(image).apply(label(1));
    const unfinished = await items(analyses.unfinished, (all) => all.length === 3);
    expect(unfinished.map(({ kind, version, marks }) => [kind, version, marks]).sort()).toEqual([
      ['form', 3, 1],
      ['free-draw', 1, 1],
      ['labels', 2.4, 2],
    ]);
    const traced = await analyses.saveFreeDraw(result(image, [stroke(1)]));
    expect((await analyses.labelling(image, PUBLIC)).logs.labels?.marks).toHaveLength(2);
    expect(await analyses.formDraft(image)).toEqual({ draft, damaged: 0 });
    const work = await analyses.labelling(image, PUBLIC);
    const labelledId = await analyses.saveLabelling(labelled(image, work));
    expect(labelledId).not.toBe(traced);
    expect(await analyses.freeDraw(image)).toMatchObject({ from: 'stored', analysisId: traced, marks: [stroke(1)] });
    expect(await analyses.formDraft(image)).toEqual({ draft, damaged: 0 });
    expect(analysisOps(tablet)).toHaveLength(2);
    expect((await items(analyses.mine, (all) => all.length === 2)).map(({ kind }) => kind).sort()).toEqual([
      'free-draw',
      'labels',
    ]);
  });

  test('2§4 a damaged row costs that row alone, and without the first row the outlines are found again', async () => {
    const tablet = await start();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories.census;
    await analyses.labelling(image, PUBLIC);
    const journal = analyses.labelJournal(image);
    for (const n of [0, 1, 2]) await journal.apply(label(n));
    const { db } = tablet.context.store;
    const keys = await db.journals.toCollection().primaryKeys();
    expect(keys[0]).toMatch(/^\w+\/labels\/\w+\/00000001$/);
    await db.journals.update(keys[2]!, { entries: [{ do: 'add', step: 'labels', mark: { kind: 'label', since: 1 } }] });
    expect(await analyses.labelling(image, PUBLIC)).toMatchObject({ damaged: 1, outlines: OUTLINES });
    await db.journals.delete(keys[0]!);
    const work = await analyses.labelling(image, { version: 2.2, isExpert: false });
    expect(work).toMatchObject({ damaged: 2, outlines: OUTLINES, version: 2.2 });
    expect(work.logs.labels?.marks).toMatchObject([{ outline: 'shape-0' }, { outline: 'shape-2' }]);
  });

  test('2§4 a second tab on the same labelling is notified, and damages nothing', async () => {
    const one = await start();
    const { image } = await withPhotograph(one);
    await one.repositories.census.analyses.labelling(image, PUBLIC);
    const mine = one.repositories.census.analyses.labelJournal(image);
    await mine.apply(label(0));
    const two = await start(one.origin, one.database);
    const work = await two.repositories.census.analyses.labelling(image, PUBLIC);
    expect(work.logs.labels?.marks).toHaveLength(1);
    const theirs = two.repositories.census.analyses.labelJournal(image);
    await theirs.apply(label(1));
    const refused = { code: 'forbidden', details: { field: 'journal' } };
    await expect(mine.apply(label(2))).rejects.toMatchObject(refused);
    await expect(one.repositories.census.analyses.saveLabelling(labelled(image, work))).rejects.toMatchObject(refused);
    await theirs.apply(label(3));
    const all = await two.repositories.census.analyses.labelling(image, PUBLIC);
    expect(all.logs.labels?.marks).toMatchObject([0, 1, 3].map((n) => ({ outline: `shape-${n}` })));
    await two.repositories.census.analyses.saveLabelling(labelled(image, all));
    await expect(mine.apply(label(2))).rejects.toMatchObject(refused);
    expect(analysisOps(two)).toHaveLength(1);
  });

  test('2§4 unsaved labels continue from a rescue copy, and a second import duplicates nothing', async () => {
    const one = await start();
    const { image } = await withPhotograph(one);
    const edits = [label(0), label(1, 'massive'), answer('bleached', 'no')];
    await one.repositories.census.analyses.labelling(image, PUBLIC);
    for (const edit of edits) await one.repositories.census.analyses.labelJournal(image).apply(edit);
    const parts: BlobPart[] = [];
    const watching = { signal: new AbortController().signal, onProgress: () => undefined };
    await one.repositories.custody.rescue.createCopy(
      {
        write: async (part) => void parts.push(part),
        finish: async () => new Blob(parts),
        abandon: async () => undefined,
      },
      watching,
    );
    const two = await start();
    const take = async () => (await two.repositories.custody.rescue.open(new Blob(parts))).importCopy(watching);
    await take();
    await take();
    await setCurrentPerson(
      two.context.store,
      two.context.person as ObservableValue<Person | null>,
      one.repositories.account.people.current.get(),
    );
    const { analyses } = two.repositories.census;
    const there = await analyses.image(image.survey.id, image.id);
    const work = await analyses.labelling(there, PUBLIC);
    expect(work).toMatchObject({ from: 'unfinished', outlines: OUTLINES, damaged: 0 });
    expect(work.logs).toEqual(logsAfter(edits));
    await analyses.saveLabelling(labelled(there, work));
    await take();
    expect(await analyses.labelling(there, PUBLIC)).toMatchObject({ from: 'stored' });
    expect(analysisOps(two)).toHaveLength(1);
  });
});

describe('2§4 work that was read ahead', () => {
  test('2§4 new work is confirmed until another tab labels the photograph, or an analysis is stored', async () => {
    const tablet = await start();
    const { image } = await withPhotograph(tablet);
    const { analyses } = tablet.repositories.census;
    expect(await analyses.confirmLabelling(image)).toBe(false);
    await analyses.labelling(image, PUBLIC);
    expect(await analyses.confirmLabelling(image)).toBe(true);
    await analyses.labelJournal(image).apply(label(0));
    expect(await analyses.confirmLabelling(image)).toBe(true);

    const { analyses: other } = (await start(tablet.origin, tablet.database)).repositories.census;
    const work = await other.labelling(image, PUBLIC);
    await other.labelJournal(image).apply(label(1));
    expect(await analyses.confirmLabelling(image)).toBe(false);
    await analyses.labelling(image, PUBLIC);
    expect(await analyses.confirmLabelling(image)).toBe(true);
    await other.saveLabelling(labelled(image, work));
    expect(await analyses.confirmLabelling(image)).toBe(false);
  });
});
