/** Edits of one picture: `undone` can be redone, the next one last. */
export interface MarkLog<Mark> {
  readonly marks: readonly Mark[];
  readonly undone: readonly Mark[];
}

/** Command of a person. */
export type MarkEdit<Mark> =
  | { readonly kind: 'add'; readonly mark: Mark }
  /** 2§4: "Undo removes the latest trace or zap." */
  | { readonly kind: 'undo' }
  | { readonly kind: 'redo' }
  /** Removes all marks irreversibly (2§4: picking a flag, or starting over). */
  | { readonly kind: 'clear' };

/** `begin` replaces the log by a stored one. */
export type MarkCommand<Mark> = ({ readonly kind: 'begin' } & MarkLog<Mark>) | MarkEdit<Mark>;

export const EMPTY_LOG: MarkLog<never> = { marks: [], undone: [] };

/** Returns the log after a command; the same object if there is nothing to undo or redo. */
export function applyMarkCommand<Mark>(log: MarkLog<Mark>, command: MarkCommand<Mark>): MarkLog<Mark> {
  const source = command.kind === 'undo' ? log.marks : command.kind === 'redo' ? log.undone : null;
  return source?.length === 0 ? log : replayMarkCommands(log, [command]);
}

/** Returns the log after all commands, in linear time. */
export function replayMarkCommands<Mark>(
  { marks: first, undone: firstUndone }: MarkLog<Mark>,
  commands: Iterable<MarkCommand<Mark>>,
): MarkLog<Mark> {
  let marks = [...first];
  let undone = [...firstUndone];
  for (const command of commands) {
    switch (command.kind) {
      case 'begin':
        marks = [...command.marks];
        undone = [...command.undone];
        break;
      case 'add':
        marks.push(command.mark);
        undone = [];
        break;
      case 'undo':
        moveLast(marks, undone);
        break;
      case 'redo':
        moveLast(undone, marks);
        break;
      case 'clear':
        marks = [];
        undone = [];
    }
  }
  return { marks, undone };
}

/** Same edit for a log of marks of another form. */
export const mapMarkEdit = <From, To>(edit: MarkEdit<From>, convert: (mark: From) => To): MarkEdit<To> =>
  edit.kind === 'add' ? { kind: 'add', mark: convert(edit.mark) } : edit;

function moveLast<Mark>(from: Mark[], to: Mark[]): void {
  const last = from.pop();
  if (last !== undefined) to.push(last);
}
