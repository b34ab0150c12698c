import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LabelEdit, LabelLogs, LabelMark, LabelStepId } from './label-marks';
import { LABEL_STEPS } from './label-marks';
import { labelSet } from './label-sets';
import { LABEL_VERSIONS, labelVersion, stepOf } from './label-versions';
import type { Labelling } from './labelling';
import {
  allows,
  applyLabelEdit,
  isSubmitStep,
  labellingOf,
  outlineLabels,
  savedOutlines,
  stepState,
} from './labelling';
import type { Outline } from './outline';

const square = (id: string, side: number, predicted: string | null = 'reef'): Outline => ({
  id,
  rings: [
    [
      [0, 0],
      [side, 0],
      [side, side],
      [0, side],
      [0, 0],
    ],
  ],
  area: side * side,
  predicted: predicted === null ? null : { id, pixels: 10, icon: '', label: predicted },
});
const THREE = [square('large', 0.5), square('middle', 0.4, 'sand'), square('small', 0.2)];
const TRIANGLE = [
  [0.1, 0.1],
  [0.3, 0.1],
  [0.2, 0.3],
  [0.1, 0.1],
] as const;

const add = (step: LabelStepId, mark: LabelMark): LabelEdit => ({ step, kind: 'add', mark });
const label = (outline: string, to: string): LabelEdit =>
  add('labels', { kind: 'label', since: 1, outline, label: to });
const bad = add('labels', { kind: 'bad', since: 1, label: 'badimage' });
const answer = (step: LabelStepId, to: string): LabelEdit => add(step, { kind: 'answer', since: 1, label: to });
const zap = (to: string): LabelEdit => add('labels', { kind: 'zap', since: 1, label: to });
const erase = (outline: string): LabelEdit => add('labels', { kind: 'erase', since: 1, outline });
const draw = (outline: string): LabelEdit => add('labels', { kind: 'draw', since: 1, outline, points: TRIANGLE });
const undo = (step: LabelStepId): LabelEdit => ({ step, kind: 'undo' });
const redo = (step: LabelStepId): LabelEdit => ({ step, kind: 'redo' });

const after = (version: number, edits: readonly LabelEdit[], outlines: readonly Outline[] = THREE): Labelling =>
  labellingOf(
    labelVersion(version),
    outlines,
    edits.reduce((logs: LabelLogs, edit) => applyLabelEdit(logs, edit), {}),
  );
const all = (to: string): LabelEdit[] => THREE.map(({ id }) => label(id, to));
const at = (state: Labelling, step: LabelStepId) => stepState(state, step)!;

describe('2§4 versions', () => {
  test.each([
    [2.1, ['labels', 'dominant', 'coralLevel'], ['main', 'dominant', 'coralCover']],
    [2.2, ['labels', 'dominant', 'softCoral'], ['main', 'dominant', 'yesNo']],
    [2.3, ['labels', 'hardCoral', 'bleached'], ['main', 'hardSoftMixedUnknown', 'yesNoUnknown']],
    [2.4, ['labels', 'hardCoral', 'bleached'], ['main', 'hardSoftMixed', 'yesNoUnknown']],
    [3.1, ['labels'], ['hawaiiLabels']],
    [3.2, ['labels'], ['hawaiiLabels']],
    [4, ['labels'], ['expert']],
    [5, ['labels'], ['hawaiiExpert']],
  ] as const)('2§4 version %d has its steps and sets', (version, steps, sets) => {
    const found = labelVersion(version);
    expect(found.version).toBe(version);
    expect(found.isExpert).toBe(version >= 4);
    expect(found.steps.map(({ id }) => id)).toEqual(steps);
    expect(found.steps.map(({ set }) => set)).toEqual(sets);
  });

  test('2§4 the default version is 2.1, also for one that does not exist', () => {
    for (const version of [0, 1, 2, 2.5, 3, 6, NaN]) expect(labelVersion(version).version).toBe(2.1);
    expect(LABEL_VERSIONS).toHaveLength(8);
  });

  test('2§3 coral types and bleached examples explain their questions', () => {
    expect(stepOf(labelVersion(2.4), 'hardCoral')?.examples).toEqual(['hardCoralTypes', 'softCoralTypes']);
    expect(stepOf(labelVersion(2.4), 'bleached')?.examples).toEqual(['bleachedExamples']);
    expect(stepOf(labelVersion(2.2), 'softCoral')?.examples).toEqual(['softCoralTypes']);
  });
});

describe('2§4 step-by-step labelling', () => {
  test('2§4 the labels step is complete once all outlines are labelled', () => {
    const partly = after(2.4, [label('large', 'branching'), label('small', 'plating')]);
    expect(partly.progress).toBeCloseTo(2 / 3);
    expect(at(partly, 'labels').isComplete).toBe(false);
    expect(at(after(2.4, all('branching')), 'labels').isComplete).toBe(true);
  });

  test('2§4 without outlines only a bad image completes', () => {
    expect(after(2.4, [], []).canSubmit).toBe(false);
    expect(after(2.4, [answer('bleached', 'no')], []).canSubmit).toBe(false);
    expect(after(2.4, [bad], []).canSubmit).toBe(true);
  });

  test('2§4 question steps are complete once answered', () => {
    const edits = all('othercoral');
    expect(at(after(2.4, edits), 'hardCoral').isComplete).toBe(false);
    const answered = after(2.4, [...edits, answer('hardCoral', 'hard_other')]);
    expect(at(answered, 'hardCoral').isComplete).toBe(true);
    expect(answered.canSubmit).toBe(false);
    expect(after(2.4, [...edits, answer('hardCoral', 'hard_other'), answer('bleached', 'no')]).canSubmit).toBe(true);
  });

  test('2§4 Submit is on the last step, or anywhere on a bad image', () => {
    const state = after(2.4, all('branching'));
    expect(['labels', 'hardCoral', 'bleached'].map((id) => isSubmitStep(state, id as LabelStepId))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isSubmitStep(after(2.4, [bad]), 'labels')).toBe(true);
    expect(isSubmitStep(after(3.2, []), 'labels')).toBe(true);
  });

  test('2§4 the bad-image category labels every outline bad, and undo brings the labels back', () => {
    const edits = [label('large', 'branching'), label('small', 'plating')];
    const flagged = after(2.4, [...edits, bad]);
    expect([...flagged.labels.values()]).toEqual(['badimage', 'badimage', 'badimage']);
    expect(flagged).toMatchObject({ isBad: true, progress: 1, canSubmit: true });
    const back = after(2.4, [...edits, bad, undo('labels')]);
    expect([...back.labels]).toEqual([...after(2.4, edits).labels]);
    expect(after(2.4, [bad, undo('labels')]).labels.size).toBe(0);
  });

  test('2§4 a label after the bad-image mark takes it back', () => {
    const state = after(2.4, [label('large', 'branching'), bad, label('small', 'plating')]);
    expect([...state.labels]).toEqual([
      ['large', 'branching'],
      ['small', 'plating'],
    ]);
    expect(state.isBad).toBe(false);
  });

  test('2§4 the hard coral step covers only outlines labelled other coral', () => {
    const state = after(2.4, [label('large', 'othercoral'), label('middle', 'branching')]);
    expect(at(state, 'hardCoral').covered.map(({ id }) => id)).toEqual(['large']);
    const none = after(2.4, [...all('branching'), answer('hardCoral', 'hard_other')]);
    expect(at(none, 'hardCoral')).toMatchObject({ isSkipped: true, isComplete: true, covered: [] });
    // An answer that no outline has any longer is not stored.
    expect(none.answers.size).toBe(0);
  });

  test('2§4 a step that covers no outline shows as done once every outline has a label', () => {
    expect(at(after(2.4, [label('large', 'branching')]), 'hardCoral')).toMatchObject({ isSkipped: true, progress: 0 });
    expect(at(after(2.4, all('branching')), 'hardCoral')).toMatchObject({ isSkipped: true, progress: 1 });
  });

  test('2§4 the soft coral step leaves out what is predicted uncategorised, sand or water', () => {
    const outlines = [
      square('a', 0.5, 'reef'),
      square('b', 0.4, 'Sand'),
      square('c', 0.3, 'water'),
      square('d', 0.2, 'uncategorised'),
      square('e', 0.1, null),
    ];
    expect(at(after(2.2, [], outlines), 'softCoral').covered.map(({ id }) => id)).toEqual(['a', 'e']);
    expect(at(after(2.2, [], outlines.slice(1, 4)), 'softCoral').isSkipped).toBe(true);
  });

  test('2§4 undo clears the latest label, or the answer, and is off until there is one', () => {
    const empty = after(2.4, []);
    for (const { canUndo, canRedo } of empty.steps) expect([canUndo, canRedo]).toEqual([false, false]);
    const edits = [label('large', 'branching'), label('small', 'plating'), answer('bleached', 'no')];
    const undone = after(2.4, [...edits, undo('labels')]);
    expect([...undone.labels.keys()]).toEqual(['large']);
    expect(undone.answers.get('bleached')).toBe('no');
    const cleared = after(2.4, [...edits, undo('bleached')]);
    expect(cleared.answers.size).toBe(0);
    expect(cleared.labels.size).toBe(2);
    expect(after(2.4, [...edits, undo('labels'), redo('labels')]).labels.size).toBe(2);
  });

  test('2§4 experts may always proceed; others once a step is complete', () => {
    expect(at(after(4, []), 'labels').canProceed).toBe(true);
    expect(at(after(2.4, []), 'labels').canProceed).toBe(false);
  });

  test('2§4 experts draw outlines, erase unlabelled ones and fill the image once', () => {
    const drawn = after(4, [draw('mine'), erase('large'), zap('sand'), zap('background')]);
    expect(drawn.outlines.map(({ id }) => id)).toEqual(['middle', 'small', 'mine']);
    expect(drawn.zap).toBe('sand');
    expect(allows(drawn, zap('background'))).toBe(false);
    expect(allows(drawn, draw('mine'))).toBe(false);
    expect(allows(after(4, [label('large', 'plating')]), erase('large'))).toBe(false);
    expect(allows(after(4, [label('large', 'plating')]), erase('small'))).toBe(true);
    for (const edit of [draw('mine'), erase('large'), zap('structure')])
      expect(allows(after(2.4, []), edit)).toBe(false);
    expect(after(2.4, [draw('mine'), erase('large'), zap('structure')])).toEqual(
      expect.objectContaining({ outlines: THREE, zap: null }),
    );
  });

  test('2§4 unlabelled outlines of an expert are not saved', () => {
    expect(savedOutlines(after(4, [label('small', 'sand')])).map(({ id }) => id)).toEqual(['small']);
    expect(savedOutlines(after(2.4, [bad]))).toHaveLength(3);
  });

  test('2§4 outlines are sorted by area, largest first', () => {
    expect(after(2.4, [], THREE.toReversed()).outlines.map(({ id }) => id)).toEqual(['large', 'middle', 'small']);
  });

  test('2§3 an outline has its label and the answers that cover it', () => {
    const state = after(2.4, [
      label('large', 'othercoral'),
      label('small', 'plating'),
      answer('hardCoral', 'mixed_other'),
      answer('bleached', 'yes'),
    ]);
    expect(Object.fromEntries(outlineLabels(state, 'large'))).toEqual({
      labels: 'othercoral',
      hardCoral: 'mixed_other',
    });
    expect(Object.fromEntries(outlineLabels(state, 'small'))).toEqual({ labels: 'plating' });
  });

  test('2§4 an edit of another step, set or outline is not allowed', () => {
    const state = after(2.4, []);
    for (const edit of [
      label('gone', 'plating'),
      label('large', 'sand'),
      label('large', 'badimage'),
      answer('bleached', 'perhaps'),
      answer('hardCoral', 'hard_other'),
      answer('dominant', 'plating'),
      answer('labels', 'plating'),
      add('bleached', { kind: 'label', since: 1, outline: 'large', label: 'plating' }),
      add('labels', { kind: 'bad', since: 1, label: 'plating' }),
      undo('labels'),
      redo('labels'),
    ])
      expect(allows(state, edit), JSON.stringify(edit)).toBe(false);
    for (const edit of [label('large', 'plating'), bad, answer('bleached', 'yes')])
      expect(allows(state, edit)).toBe(true);
  });
});

describe('2§4 whatever a person does', () => {
  const OUTLINES = [...THREE, square('tiny', 0.1, 'water')];
  const LABELS = [
    ...new Set(LABEL_VERSIONS.flatMap(({ steps }) => steps.flatMap(({ set }) => labelSet(set))).map(({ id }) => id)),
  ];
  const outline = fc.constantFrom('large', 'middle', 'small', 'tiny', 'mine', 'gone');
  const anyLabel = fc.constantFrom(...LABELS);
  const mark: fc.Arbitrary<LabelMark> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('label' as const), since: fc.nat(), outline, label: anyLabel }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), since: fc.nat(), label: anyLabel }) },
    fc.record({ kind: fc.constant('bad' as const), since: fc.nat(), label: fc.constantFrom('badimage', 'sand') }),
    fc.record({ kind: fc.constant('zap' as const), since: fc.nat(), label: anyLabel }),
    fc.record({ kind: fc.constant('erase' as const), since: fc.nat(), outline }),
    fc.record({ kind: fc.constant('draw' as const), since: fc.nat(), outline, points: fc.constantFrom(TRIANGLE, []) }),
  );
  const edit: fc.Arbitrary<LabelEdit> = fc
    .tuple(
      fc.constantFrom(...LABEL_STEPS),
      fc.oneof(
        { weight: 12, arbitrary: mark.map((each) => ({ kind: 'add' as const, mark: each })) },
        { weight: 3, arbitrary: fc.constantFrom({ kind: 'undo' as const }, { kind: 'redo' as const }) },
        fc.constant({ kind: 'clear' as const }),
      ),
    )
    .map(([step, each]) => ({ step, ...each }));
  const version = fc.constantFrom(...LABEL_VERSIONS);
  /** Completed at first, so that edits break it as often as they build it. */
  const begun = fc.constantFrom<LabelLogs>(
    {},
    {
      labels: {
        marks: OUTLINES.map(({ id }, since) => ({ kind: 'label', since, outline: id, label: 'othercoral' })),
        undone: [],
      },
      hardCoral: { marks: [{ kind: 'answer', since: 1, label: 'hard_other' }], undone: [] },
      bleached: { marks: [{ kind: 'answer', since: 1, label: 'no' }], undone: [] },
      dominant: { marks: [{ kind: 'answer', since: 1, label: 'branching' }], undone: [] },
      coralLevel: { marks: [{ kind: 'answer', since: 1, label: 'high' }], undone: [] },
      softCoral: { marks: [{ kind: 'answer', since: 1, label: 'no' }], undone: [] },
    },
  );
  const bare = (state: Labelling): unknown => ({
    ...state,
    labels: [...state.labels],
    answers: [...state.answers],
    steps: state.steps.map((step) => ({ ...step, canRedo: false })),
  });

  /** Complete by the specification's words, without the machine's own flags. */
  function isComplete(state: Labelling, logs: LabelLogs): boolean {
    if (state.isBad) return true;
    if (state.outlines.length === 0 || !state.outlines.every(({ id }) => state.labels.has(id))) return false;
    return state.version.steps.every((step) => {
      if (step.kind === 'labels') return true;
      const isAnswered = logs[step.id]?.marks.some((each) => each.kind === 'answer') === true;
      if (step.scope === 'otherCoral') return isAnswered || ![...state.labels.values()].includes('othercoral');
      if (step.scope === 'notUncategorised')
        return isAnswered || state.outlines.every(({ predicted }) => predicted?.label !== 'reef');
      return isAnswered;
    });
  }

  test('2§4 no path submits an incomplete analysis', () => {
    let submitted = 0;
    fc.assert(
      fc.property(version, begun, fc.array(edit, { maxLength: 40 }), fc.boolean(), (of, first, edits, isGuarded) => {
        let logs = first;
        for (const each of edits) {
          if (isGuarded && !allows(labellingOf(of, OUTLINES, logs), each)) continue;
          logs = applyLabelEdit(logs, each);
          const state = labellingOf(of, OUTLINES, logs);
          if (!state.canSubmit || of.isExpert) continue;
          submitted++;
          expect(isComplete(state, logs)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(submitted).toBeGreaterThan(100);
  });

  test('2§4 undo returns to the state before, and redo to the one after', () => {
    fc.assert(
      fc.property(version, begun, fc.array(edit, { maxLength: 20 }), edit, (of, first, edits, last) => {
        let logs = first;
        for (const each of edits) {
          if (allows(labellingOf(of, OUTLINES, logs), each)) logs = applyLabelEdit(logs, each);
        }
        const before = labellingOf(of, OUTLINES, logs);
        fc.pre(last.kind === 'add' && allows(before, last));
        const done = applyLabelEdit(logs, last);
        const undone = applyLabelEdit(done, undo(last.step));
        expect(bare(labellingOf(of, OUTLINES, undone))).toEqual(bare(before));
        const redone = applyLabelEdit(undone, redo(last.step));
        expect(bare(labellingOf(of, OUTLINES, redone))).toEqual(bare(labellingOf(of, OUTLINES, done)));
        // Allowed edits change something, so that no button looks dead.
        expect(bare(labellingOf(of, OUTLINES, done))).not.toEqual(bare(before));
      }),
      { numRuns: 300 },
    );
  });

  test('2§4 2§5 a bad image has one label for every outline, and no answer', () => {
    fc.assert(
      fc.property(version, begun, fc.array(edit, { maxLength: 40 }), (of, first, edits) => {
        const logs = edits.reduce((before: LabelLogs, each) => applyLabelEdit(before, each), first);
        const state = labellingOf(of, OUTLINES, logs);
        const ids = new Set(state.outlines.map(({ id }) => id));
        for (const id of state.labels.keys()) expect(ids.has(id)).toBe(true);
        if (!state.isBad) return;
        expect(new Set(state.labels.values())).toEqual(new Set(ids.size > 0 ? ['badimage'] : []));
        expect(state.answers.size).toBe(0);
        expect(state.zap).toBeNull();
      }),
    );
  });
});
