import { describe, expect, test } from 'vitest';
import type { LabelLogs, LabelMark } from '../../domain/analysis/labelling/label-marks';
import { labellingOf } from '../../domain/analysis/labelling/labelling';
import { labelVersion } from '../../domain/analysis/labelling/label-versions';
import type { Outline } from '../../domain/analysis/labelling/outline';
import { editedWork, labelledWork, latestOutline } from './labelling-state';
import { completionText, countText, mainAction, outlineName, versionText } from './labelling-text';
import { skipNote, stepHint, stepQuestion } from './panel/step-text';

const square = (id: string, left: number, side: number): Outline => ({
  id,
  rings: [
    [
      [left, 0.1],
      [left + side, 0.1],
      [left + side, 0.1 + side],
      [left, 0.1 + side],
      [left, 0.1],
    ],
  ],
  area: side * side,
  predicted: { id, pixels: 100, icon: 'reef', label: 'reef' },
});
const OUTLINES = [square('a', 0.05, 0.3), square('b', 0.5, 0.2), square('c', 0.8, 0.1)];
const log = (...marks: readonly LabelMark[]) => ({ marks, undone: [] });
const label = (outline: string, to: string, since: number): LabelMark => ({ kind: 'label', outline, label: to, since });
const ALL = log(label('a', 'plating', 1), label('b', 'othercoral', 2), label('c', 'massive', 3));
const of = (version: number, logs: LabelLogs) => labellingOf(labelVersion(version), OUTLINES, logs);
const actionAt = (version: number, step: number, logs: LabelLogs) => {
  const labelling = of(version, logs);
  return mainAction(labelling, labelling.steps[step]!);
};

describe('2§2, 2§4: the main button says what it does, or what is missing', () => {
  test('Continue counts the outlines to go, then waits for an answer, and Submit comes last', () => {
    expect(actionAt(2.4, 0, {})).toEqual({ kind: 'missing', text: 'Continue: 3 to go' });
    expect(actionAt(2.4, 0, { labels: ALL })).toEqual({ kind: 'continue', text: 'Continue' });
    expect(actionAt(2.4, 1, { labels: ALL })).toEqual({ kind: 'missing', text: 'Continue: choose an answer' });
    const answered = { labels: ALL, hardCoral: log({ kind: 'answer', label: 'hard_other', since: 4 }) };
    expect(actionAt(2.4, 2, answered)).toEqual({ kind: 'missing', text: 'Submit: choose an answer' });
    const bleached = log({ kind: 'answer', label: 'no', since: 5 });
    expect(actionAt(2.4, 2, { ...answered, bleached })).toEqual({ kind: 'submit', text: 'Submit' });
  });

  test('a step left open before the last one is named, and a bad image can be submitted at once', () => {
    const bleached = log({ kind: 'answer', label: 'no', since: 5 });
    expect(actionAt(2.4, 2, { labels: ALL, bleached })).toEqual({
      kind: 'missing',
      text: 'Submit: a step before is open',
    });
    expect(actionAt(2.4, 0, { labels: log({ kind: 'bad', label: 'badimage', since: 1 }) }).kind).toBe('submit');
  });

  test('experts may always submit', () => {
    expect(actionAt(4, 0, {})).toEqual({ kind: 'submit', text: 'Submit' });
  });
});

describe('2§2, 2§3, 2§4: words of the labelling screen', () => {
  test('the step counts its labels', () => {
    const at = (logs: LabelLogs) => {
      const labelling = of(2.4, logs);
      return countText(labelling.steps[0]!, labelling.labels);
    };
    expect(at({ labels: log(label('a', 'plating', 1)) })).toBe('1 of 3');
    expect(at({ labels: ALL })).toBe('all 3');
  });

  test('an outline is named by number, place, size and label', () => {
    expect(outlineName(OUTLINES[0]!, 0, 3, null)).toBe('Outline 1 of 3, top left, 9% of the picture, no label');
    expect(outlineName({ ...OUTLINES[2]!, area: 0.004 }, 2, 3, 'Boulder coral')).toBe(
      'Outline 3 of 3, top right, less than 1% of the picture, Boulder coral',
    );
  });

  test('heading and hint follow the labels, and a question without outlines has a skip note', () => {
    const labelling = of(2.4, { labels: ALL });
    expect(stepQuestion(labelling, labelling.steps[0]!, false)).toBe('All outlines have a label');
    expect(stepHint(labelling, labelling.steps[1]!, false)).toBe('It is about the bright outline.');
    const without = of(2.4, { labels: log(label('a', 'plating', 1)) });
    expect(without.steps[1]!.isSkipped).toBe(true);
    expect(skipNote(without, without.steps[1]!)).toMatch(/No outline is labelled other coral/);
    const none = labellingOf(labelVersion(2.4), [], {});
    expect(stepQuestion(none, none.steps[0]!, false)).toBe('No outlines in this photograph');
    expect(stepHint(none, none.steps[0]!, false)).toBe('Skip it, or mark it as a bad image.');
    expect(mainAction(none, none.steps[0]!).text).toBe('Continue: no outlines');
    const drawable = labellingOf(labelVersion(4), [], {});
    expect(stepHint(drawable, drawable.steps[0]!, false)).toMatch(/^Draw outlines/);
  });

  test('a version of the address that is not shown is named, with the one that is', () => {
    expect(versionText(undefined, 2.4)).toBeNull();
    expect(versionText(2.4, 2.4)).toBeNull();
    expect(versionText(9, 2.4)).toMatchObject({
      title: 'There is no version 9',
      text: expect.stringContaining('version 2.4') as string,
    });
    expect(versionText(3.1, 2.4)?.text).toMatch(/began in version 2\.4 and stay in it, not in version 3\.1/);
    expect(versionText(4, 2.4)?.text).toMatch(/version 4 are for experts/);
  });

  test('the first analysis has a text of its own, later ones their count', () => {
    expect(completionText(1, 'Red Sea').title).toBe('Your first analysis');
    expect(completionText(1204, 'Red Sea').text).toMatch(/^You have completed 1,204 analyses\..*Red Sea/);
  });
});

test('2§4 a label leaves the outlines the same object, and Undo names the outline it takes back', () => {
  const first = labelledWork(labelVersion(2.4), OUTLINES, {});
  const after = editedWork(first, OUTLINES, { step: 'labels', kind: 'add', mark: label('b', 'plating', 1) });
  expect(after.labelling.outlines).toBe(first.labelling.outlines);
  expect(after.labelling.labels.get('b')).toBe('plating');
  expect(latestOutline(after.logs)).toBe('b');
  expect(editedWork(first, OUTLINES, { step: 'labels', kind: 'undo' })).toBe(first);
  const drawn = editedWork(labelledWork(labelVersion(4), OUTLINES, {}), OUTLINES, {
    step: 'labels',
    kind: 'add',
    mark: {
      kind: 'draw',
      outline: 'd',
      since: 1,
      points: [
        [0.1, 0.6],
        [0.3, 0.6],
        [0.3, 0.8],
        [0.1, 0.6],
      ],
    },
  });
  expect(drawn.labelling.outlines).toHaveLength(4);
  expect(latestOutline(drawn.logs)).toBeNull();
});
