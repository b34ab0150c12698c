import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LabelEdit, LabelMark } from '../../../domain/analysis/labelling/label-marks';
import { LABEL_STEPS } from '../../../domain/analysis/labelling/label-marks';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import type { JournalRow } from '../database';
import { formEditBetween, replayForm, FORM_JOURNAL } from './form-journal';
import { FREE_DRAW_JOURNAL, replayFreeDraw } from './free-draw-journal';
import type { JournalKind, StoredEntry } from './journal-rows';
import { journalPrefix, parseRowId, readRows, rowIdOf } from './journal-rows';
import { LABEL_JOURNAL } from './label-journal';

const uid = 'Person0000000001';
const imageId = 'Image00000000001' as ImageId;
const KINDS: readonly JournalKind[] = ['free-draw', 'labels', 'form'];

/** Rows as a rescue copy holds them: JSON, with plain arrays. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, part: unknown) => (part instanceof Int32Array ? [...part] : part)));

describe('ids of rows', () => {
  it('each kind has ids of its own, and those of tracing are as before there were kinds', () => {
    const prefixes = KINDS.map((kind) => journalPrefix({ kind, uid, imageId }));
    expect(prefixes[0]).toBe(`${uid}/${imageId}/`);
    for (const [i, one] of prefixes.entries())
      for (const [j, other] of prefixes.entries()) expect(rowIdOf(other, 1).startsWith(one)).toBe(i === j);
    for (const kind of KINDS)
      expect(parseRowId(rowIdOf(journalPrefix({ kind, uid, imageId }), 12))).toEqual({ kind, uid, imageId, n: 12 });
  });

  it.each(['', 'a/b', 'a/b/1', 'a/b/0000001x', 'a/other/b/00000001', 'a/free-draw/b/00000001', 'a/b/c/d/00000001'])(
    'the id "%s" is of no journal',
    (id) => {
      expect(parseRowId(id)).toBeUndefined();
    },
  );
});

describe('rows that an older app wrote', () => {
  it('a tracing begun before there were kinds is read with its marks', () => {
    const rows: JournalRow[] = [
      {
        id: `${uid}/${imageId}/00000001`,
        at: '2026-01-01T00:00:00.000Z',
        tab: 'a',
        entries: [
          {
            do: 'begin',
            survey: { id: 'Survey0000000001', name: 'Moore' },
            base: null,
            analysisId: 'Analysis00000001',
          },
        ],
      },
      {
        id: `${uid}/${imageId}/00000002`,
        at: '2026-01-01T00:00:01.000Z',
        tab: 'a',
        entries: [
          {
            do: 'add',
            mark: { kind: 'stroke', since: 1, id: 'background_water', lines: [Int32Array.of(0, 0, 100_000, 50_000)] },
          },
          { do: 'add', mark: { kind: 'zap', since: 2, id: 'background_water', lines: [] } },
          { do: 'undo' },
        ],
      },
    ];
    const read = readRows(FREE_DRAW_JOURNAL, rows, 2);
    expect(read).toMatchObject({ begin: { survey: { name: 'Moore' }, analysisId: 'Analysis00000001' }, damaged: 0 });
    expect(read.begin?.version).toBeUndefined();
    const { marks, undone } = replayFreeDraw(read, []);
    expect(marks).toMatchObject([
      {
        kind: 'stroke',
        points: [
          [0, 0],
          [1, 0.5],
        ],
      },
    ]);
    expect(undone).toMatchObject([{ kind: 'zap' }]);
  });
});

const coordinate = fc.integer({ min: -200_000, max: 200_000 }).map((n) => n / 100_000);
const text = fc.string({ minLength: 1, maxLength: 20 });
const since = fc.integer({ min: 0, max: 2 ** 45 });
const mark: fc.Arbitrary<LabelMark> = fc.oneof(
  fc.record({ kind: fc.constant('label' as const), since, outline: text, label: text }),
  fc.record({ kind: fc.constantFrom('bad' as const, 'answer' as const, 'zap' as const), since, label: text }),
  fc.record({ kind: fc.constant('erase' as const), since, outline: text }),
  fc.record({
    kind: fc.constant('draw' as const),
    since,
    outline: text,
    points: fc.array(fc.tuple(coordinate, coordinate), { maxLength: 8 }),
  }),
) as fc.Arbitrary<LabelMark>;
const edit: fc.Arbitrary<LabelEdit> = fc
  .tuple(
    fc.constantFrom(...LABEL_STEPS),
    fc.oneof(
      fc.record({ kind: fc.constant('add' as const), mark }),
      fc.record({ kind: fc.constantFrom('undo' as const, 'redo' as const, 'clear' as const) }),
    ),
  )
  .map(([step, made]) => ({ step, ...made }));

describe('entries of a labelling', () => {
  it('every edit comes back as it was, also by way of a rescue copy', () => {
    fc.assert(
      fc.property(edit, (made) => {
        const packed = LABEL_JOURNAL.pack(made) as StoredEntry;
        expect(LABEL_JOURNAL.parse(packed)).toEqual(made);
        expect(LABEL_JOURNAL.parse(plain(packed) as StoredEntry)).toEqual(made);
      }),
    );
  });

  it('the first row comes back with its outlines, and without valid ones it is damaged', () => {
    const begin = {
      do: 'begin' as const,
      survey: { id: 'Survey0000000001' as SurveyId, name: 'Moore' },
      base: null,
      analysisId: 'Analysis00000001' as AnalysisId,
      version: 2.4,
      sessionStart: '2026-01-01T00:00:00.000Z',
      outlines: {
        source: 'model' as const,
        model: 'gbr',
        width: 2000,
        height: 1500,
        outlines: [
          {
            id: 'one',
            area: 0.25,
            predicted: { id: 'one', pixels: 750_000, icon: 'reef', label: 'reef' },
            rings: [
              [
                [0, 0],
                [0.5, 0],
                [0.5, 0.5],
                [0, 0],
              ],
              [
                [0.1, 0.1],
                [0.2, 0.1],
                [0.2, 0.2],
                [0.1, 0.1],
              ],
            ] as [number, number][][],
          },
          { id: 'two', area: 0.01, predicted: null, rings: [] },
        ],
      },
    };
    const row = (entry: object): JournalRow => ({
      id: `${uid}/labels/${imageId}/00000001`,
      at: '',
      tab: '',
      entries: [entry],
    });
    const packed = LABEL_JOURNAL.packBegin(begin);
    expect(readRows(LABEL_JOURNAL, [row(packed)], 1)).toMatchObject({ begin, damaged: 0 });
    expect(readRows(LABEL_JOURNAL, [row(plain(packed) as object)], 1)).toMatchObject({ begin, damaged: 0 });
    for (const damage of [
      { outlines: null },
      { outlines: { outlines: [7] } },
      { version: '2.4' },
      { sessionStart: 1 },
      { base: {} },
    ])
      expect(readRows(LABEL_JOURNAL, [row({ ...packed, ...damage })], 1)).toMatchObject({ begin: null, damaged: 1 });
  });

  it('an edit of any other form is damaged, and never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('do', 'step', 'mark'), fc.anything()), (entry) => {
        LABEL_JOURNAL.parse(entry);
        FORM_JOURNAL.parse(entry);
        FREE_DRAW_JOURNAL.parse(entry);
      }),
    );
  });
});

describe('entries of percentages', () => {
  const draft: fc.Arbitrary<FormDraft> = fc.record({
    texts: fc.dictionary(fc.constantFrom('sand-live', 'dead-live', 'plating-dead'), fc.string({ maxLength: 5 })),
    dominantCoral: fc.string({ maxLength: 5 }),
    isBadImage: fc.boolean(),
  });

  it('the differences between drafts give the last draft', () => {
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 6 }), (drafts) => {
        const [first = drafts[0]!] = drafts;
        const edits = drafts.slice(1).flatMap((after, i) => {
          const made = formEditBetween(drafts[i]!, after);
          return made === null ? [] : [FORM_JOURNAL.parse(plain(FORM_JOURNAL.pack(made)) as StoredEntry)!];
        });
        expect(replayForm(edits, first)).toEqual({ ...drafts.at(-1)!, texts: { ...drafts.at(-1)!.texts } });
      }),
    );
  });
});
