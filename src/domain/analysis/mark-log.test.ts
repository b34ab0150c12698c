import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMarkCommand, EMPTY_LOG, mapMarkEdit, replayMarkCommands } from './mark-log';
import type { MarkCommand, MarkEdit, MarkLog } from './mark-log';

const marks = fc.array(fc.nat(99), { maxLength: 6 });
const log: fc.Arbitrary<MarkLog<number>> = fc
  .record({ marks, undone: marks })
  .map((made) => ({ marks: Object.freeze(made.marks), undone: Object.freeze(made.undone) }));
const edit: fc.Arbitrary<MarkEdit<number>> = fc.oneof(
  { weight: 5, arbitrary: fc.nat(99).map((mark) => ({ kind: 'add' as const, mark })) },
  { weight: 4, arbitrary: fc.constantFrom({ kind: 'undo' as const }, { kind: 'redo' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'clear' as const }) },
);
const command: fc.Arbitrary<MarkCommand<number>> = fc.oneof(
  { weight: 9, arbitrary: edit },
  { weight: 1, arbitrary: log.map((begun) => ({ kind: 'begin' as const, ...begun })) },
);
const after = (from: MarkLog<number>, ...commands: readonly MarkCommand<number>[]): MarkLog<number> =>
  commands.reduce((log, each) => applyMarkCommand(log, each), from);

describe('2§4 undo, redo and clear: one log of marks', () => {
  test('adding appends a mark and clears the redo list', () => {
    fc.assert(
      fc.property(log, fc.nat(), (from, mark) => {
        expect(after(from, { kind: 'add', mark })).toEqual({ marks: [...from.marks, mark], undone: [] });
      }),
    );
  });

  test('undo reverts an added mark, and redo restores it', () => {
    fc.assert(
      fc.property(log, fc.nat(), (from, mark) => {
        const added = after(from, { kind: 'add', mark });
        expect(after(added, { kind: 'undo' })).toEqual({ marks: from.marks, undone: [mark] });
        expect(after(added, { kind: 'undo' }, { kind: 'redo' })).toEqual(added);
      }),
    );
  });

  test('undo and redo are inverse, lose no mark, and do nothing at an end', () => {
    fc.assert(
      fc.property(log, (from) => {
        const undone = after(from, { kind: 'undo' });
        const redone = after(from, { kind: 'redo' });
        if (from.marks.length === 0) expect(undone).toBe(from);
        else expect(after(undone, { kind: 'redo' })).toEqual(from);
        if (from.undone.length === 0) expect(redone).toBe(from);
        else expect(after(redone, { kind: 'undo' })).toEqual(from);
        for (const { marks: now, undone: left } of [undone, redone])
          expect([...now, ...[...left].reverse()]).toEqual([...from.marks, ...[...from.undone].reverse()]);
      }),
    );
  });

  test('clear leaves nothing to undo or redo, and begin resets the log', () => {
    fc.assert(
      fc.property(log, log, (from, begun) => {
        expect(after(from, { kind: 'clear' })).toEqual(EMPTY_LOG);
        expect(after(from, { kind: 'begin', ...begun })).toEqual(begun);
      }),
    );
  });

  test('a replay equals its commands one by one, however it is split', () => {
    fc.assert(
      fc.property(log, fc.array(command, { maxLength: 40 }), fc.nat(40), (from, commands, at) => {
        const expected = after(from, ...commands);
        expect(replayMarkCommands(from, commands)).toEqual(expected);
        const half = replayMarkCommands(from, commands.slice(0, at));
        expect(replayMarkCommands(half, commands.slice(at))).toEqual(expected);
      }),
    );
  });

  test('a log of converted marks follows converted edits', () => {
    const convert = (mark: number): string => `mark ${mark}`;
    const converted = (from: MarkLog<number>): MarkLog<string> => ({
      marks: from.marks.map(convert),
      undone: from.undone.map(convert),
    });
    fc.assert(
      fc.property(log, edit, (from, each) => {
        expect(applyMarkCommand(converted(from), mapMarkEdit(each, convert))).toEqual(converted(after(from, each)));
      }),
    );
  });
});
