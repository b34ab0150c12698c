import { describe, expect, test } from 'vitest';
import type { LabelEdit, LabelLogs } from '../../../src/domain/analysis/labelling/label-marks';
import { readLabelRecord } from '../../../src/domain/analysis/labelling/label-record';
import { applyLabelEdit } from '../../../src/domain/analysis/labelling/labelling';
import type { AnalysisId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { draftEdit } from '../../../src/domain/op/draft';
import { draftFacts, readDocument, saveOp } from '../../../src/data/repositories/repository-context';
import { closeAll } from '../../support/tablet/closers';
import { analysisOps, items, open, withPhotograph } from '../../support/tablet/analyses';
import type { Opened } from '../../support/tablet/analyses';
import { OUTLINES, add, answer, fixedSegmenter, label, labelled } from '../../support/tablet/labelling';
import { newOrigin, until } from '../../support/tablet/tablet';

const PUBLIC = { version: 2.4, isExpert: false };
const EXPERT = { version: 4, isExpert: true };
const start = (origin = newOrigin(), database?: string): Promise<Opened> =>
  open(origin, database, { segmenter: fixedSegmenter() });
const ALL: readonly LabelEdit[] = [
  label(0),
  label(1, 'background'),
  label(2, 'massive'),
  label(3, 'othercoral'),
  label(4, 'branching'),
  answer('hardCoral', 'hard_other'),
  answer('bleached', 'no'),
];
const logsAfter = (edits: readonly LabelEdit[], first: LabelLogs = {}): LabelLogs =>
  edits.reduce(applyLabelEdit, first);
const bodyOf = async (tablet: Opened, id: AnalysisId): Promise<JsonObject> =>
  (await readDocument(tablet.context, 'analysis', id)).folded.doc;

async function labelAll(tablet: Opened, edits: readonly LabelEdit[] = ALL, options = PUBLIC) {
  const { image } = await withPhotograph(tablet);
  const { analyses } = tablet.repositories.census;
  await analyses.labelling(image, options);
  const journal = analyses.labelJournal(image);
  for (const edit of edits) await journal.apply(edit);
  return { image, analyses, work: await analyses.labelling(image, options) };
}

describe('2§3 a labelling is saved as one record', () => {
  test('2§3 a submit is one op that ends the journal, with author, sessions, tags and found classes', async () => {
    const tablet = await start();
    const { image, analyses, work } = await labelAll(tablet);
    const session = { startTime: '2026-11-20T01:00:00.000Z', endTime: '2026-11-20T01:02:00.000Z', timeTaken: 120 };
    const id = await analyses.saveLabelling(labelled(image, work, { sessions: [session], eventTags: ['ReefWeek'] }));
    expect(await tablet.context.store.db.journals.count()).toBe(0);
    expect(analysisOps(tablet)).toHaveLength(1);
    const body = await bodyOf(tablet, id);
    const uid = tablet.repositories.account.people.current.get()!.uid;
    expect(body).toMatchObject({
      version: 2.4,
      sync: 0,
      image: { id: image.id },
      survey: { id: image.survey.id, name: 'Agincourt' },
      user: { uid, name: { first: 'Ana', last: 'Reef' }, domain: 'example.org', isExpert: false },
      stats: { coverage: 0.5, sessions: [session] },
      eventTags: ['reefweek'],
    });
    expect(readLabelRecord(body)).toMatchObject({ kind: 'labels', set: OUTLINES });
    expect(await items(analyses.mine, (all) => all.length > 0)).toMatchObject([
      {
        id,
        kind: 'labels',
        version: 2.4,
        coverage: 0.5,
        found: [{ coverage: 0.4 }, { label: 'Boulder coral', coverage: 0.1 }],
      },
    ]);
    expect(await items(analyses.unfinished, () => true)).toEqual([]);
  });

  test('2§8 a storage that is full at submit keeps the journal, and a retry saves once', async () => {
    const tablet = await start();
    const { image, analyses, work } = await labelAll(tablet);
    const { db } = tablet.context.store;
    const before = await db.journals.count();
    const full = (): never => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    db.ops.hook('creating', full);
    await expect(analyses.saveLabelling(labelled(image, work))).rejects.toMatchObject({ code: 'storage-full' });
    expect([await db.journals.count(), analysisOps(tablet).length]).toEqual([before, 0]);
    db.ops.hook('creating').unsubscribe(full);
    await analyses.saveLabelling(labelled(image, work));
    expect([await db.journals.count(), analysisOps(tablet).length]).toEqual([0, 1]);
  });

  test('2§6 an earlier labelling is edited offline, and replaces the writes that it began with', async () => {
    const first = await start();
    const { image, analyses, work } = await labelAll(first);
    const id = await analyses.saveLabelling(labelled(image, work));
    const [write] = analysisOps(first);
    const again = await start(first.origin, first.database);
    const { analyses: later } = again.repositories.census;
    const stored = await later.labelling(image, { version: 2.1, isExpert: false });
    expect(stored).toMatchObject({ from: 'stored', analysisId: id, version: 2.4, readOnly: null, outlines: OUTLINES });
    await later.labelJournal(image).apply(label(3, 'plating'));
    // Written elsewhere since: it stays for a person to resolve.
    const state = await readDocument(again.context, 'analysis', id);
    const other = draftEdit(state, { ...state.folded.doc, note: 'other' }, draftFacts(again.context, 'analysis'));
    await saveOp(again.context, other!);
    const edited = await later.labelling(image, PUBLIC);
    expect(edited).toMatchObject({ from: 'unfinished', analysisId: id, version: 2.4 });
    expect(await later.saveLabelling(labelled(image, edited))).toBe(id);
    const saved = again.context.opIndex.entriesOf('analysis', id).at(-1)!;
    const { op } = (await again.context.store.db.ops.get(saved.opId))!;
    expect(Object.values(op.over ?? {})).toEqual([[write!.opId]]);
    const read = readLabelRecord(op.body);
    expect(read.kind === 'labels' && read.logs.labels?.marks).toContainEqual(
      expect.objectContaining({ outline: 'shape-3', label: 'plating' }),
    );
  });

  test.each([
    ['broken', { geobuf_string: 'AAAA' }],
    ['other-version', { version: 7 }],
  ] as const)('2§3 a record that is %s opens read-only, and is never replaced', async (readOnly, damage) => {
    const tablet = await start();
    const { image, analyses, work } = await labelAll(tablet);
    const id = await analyses.saveLabelling(labelled(image, work));
    const state = await readDocument(tablet.context, 'analysis', id);
    await saveOp(
      tablet.context,
      draftEdit(state, { ...state.folded.doc, ...damage }, draftFacts(tablet.context, 'analysis'))!,
    );
    const again = await start(tablet.origin, tablet.database);
    const { analyses: later } = again.repositories.census;
    const opened = await later.labelling(image, PUBLIC);
    expect(opened).toMatchObject({ from: 'stored', analysisId: id, readOnly, outlines: { outlines: [] }, logs: {} });
    const refused = { code: 'unsupported-version' };
    await expect(later.labelJournal(image).apply(label(0))).rejects.toMatchObject(refused);
    await expect(later.saveLabelling(labelled(image, opened))).rejects.toMatchObject(refused);
    expect(await bodyOf(again, id)).toMatchObject(damage);
  });

  test('2§4 an expert saves without unlabelled outlines and edits what they drew', async () => {
    const tablet = await start();
    const points = [
      [0.6, 0.1],
      [0.9, 0.1],
      [0.9, 0.3],
      [0.6, 0.1],
    ] as const;
    const { image, analyses, work } = await labelAll(
      tablet,
      [
        label(0),
        add('labels', { kind: 'draw', outline: 'drawn-1', points }),
        add('labels', { kind: 'label', outline: 'drawn-1', label: 'sand' }),
        add('labels', { kind: 'erase', outline: 'shape-4' }),
      ],
      EXPERT,
    );
    await analyses.saveLabelling(labelled(image, work, { version: 4 }));
    const stored = await analyses.labelling(image, EXPERT);
    expect(stored.outlines.outlines.map(({ id }) => id)).toEqual(['shape-0', 'drawn-1']);
    expect(stored.outlines.outlines[1]).toMatchObject({ predicted: null });
    await analyses
      .labelJournal(image)
      .apply({ ...label(0), mark: { kind: 'label', since: 5000, outline: 'drawn-1', label: 'dead' } } as LabelEdit);
    const edited = await analyses.labelling(image, EXPERT);
    expect(edited).toMatchObject({ from: 'unfinished', outlines: stored.outlines });
    expect(edited.logs).toEqual(
      logsAfter(
        [{ step: 'labels', kind: 'add', mark: { kind: 'label', since: 5000, outline: 'drawn-1', label: 'dead' } }],
        stored.logs,
      ),
    );
  });

  test('2§3 a kill around any transaction leaves labels or record whole, and saves once', async () => {
    let isThrough = false;
    for (let at = 0; !isThrough; at++)
      for (const when of ['before', 'after'] as const) {
        const first = await start();
        const { image, analyses, work } = await labelAll(first);
        const { db } = first.context.store;
        const transaction = db.transaction.bind(db) as (...given: unknown[]) => Promise<unknown>;
        const cut = (): Promise<never> =>
          Promise.reject(Object.assign(new Error('no room'), { name: 'QuotaExceededError' }));
        let n = 0;
        Object.assign(db, {
          transaction: async (...given: unknown[]) => {
            const mine = n++;
            if (mine === at && when === 'before') return cut();
            const value = await transaction(...given);
            return mine === at ? cut() : value;
          },
        });
        const isDone = await analyses.saveLabelling(labelled(image, work)).then(
          () => true,
          () => false,
        );
        isThrough = n <= at;
        const again = await start(first.origin, first.database);
        const opened = await again.repositories.census.analyses.labelling(image, PUBLIC);
        expect(opened.from === 'stored' || !isDone).toBe(true);
        expect(opened.outlines).toEqual(OUTLINES);
        expect(opened.logs.labels?.marks).toHaveLength(5);
        await again.repositories.census.analyses.saveLabelling(labelled(image, opened));
        expect(await again.context.store.db.journals.count()).toBe(0);
        expect(new Set(analysisOps(again).map(({ docId }) => docId)).size).toBe(1);
        await closeAll();
      }
  });
});

test('2§2 a saved labelling opens for viewing with outlines, labels and cover; another id is not here', async () => {
  const tablet = await start();
  const { image, analyses, work } = await labelAll(tablet);
  const id = await analyses.saveLabelling(labelled(image, work));
  const viewed = await until(() => analyses.viewed(id).catch(() => undefined), 'the analysis');
  expect(viewed).toMatchObject({ id, imageId: image.id, author: 'Ana Reef', isOwn: true, version: 2.4 });
  expect(viewed.content).toMatchObject({
    kind: 'labels',
    version: 2.4,
    cover: { branching: 0.4, massive: 0.1 },
    unknown: 0,
  });
  await expect(analyses.viewed('NoSuchAnalysis01' as AnalysisId)).rejects.toMatchObject({ code: 'not-found' });
});
