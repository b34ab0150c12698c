import { MODIFIERS, CATEGORY_GROUPS } from '../../../domain/analysis/free-draw/categories';
import type { KeyMap } from '../../../ui/keys';
import type { OfferedTool } from './seams';
import { typesOf, type TraceAction, type TraceState } from './trace-state';

/** What the keys of tracing do, beside what the reducer does. */
export interface KeyDoings {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  readonly pan: (x: number, y: number) => void;
  readonly rotate: () => void;
  readonly help: () => void;
  readonly zap: () => void;
  readonly light: () => void;
  readonly byKeys: () => void;
  /** Moves the cross-hair by so many of its steps. */
  readonly step: (x: number, y: number, isFine: boolean) => void;
  /** Puts the pen down at the cross-hair, or lifts it. */
  readonly press: () => void;
  readonly confirm: () => void;
  readonly leave: () => void;
}

/** How far an arrow moves the picture, CSS px. */
const PAN_PX = 64;
const ZOOM_BY = 1.25;

/** Each tool has a key, the arrows move the picture or the cross-hair, digits choose classes. */
export function traceKeys(
  state: TraceState,
  dispatch: (action: TraceAction) => void,
  doing: KeyDoings,
  isReadOnly: boolean,
  hasStates: boolean,
  more: readonly OfferedTool[],
): KeyMap {
  const arrow = (x: number, y: number, words: string) => ({
    words: state.byKeys ? `Cross-hair ${words}; with Shift by little` : `Picture ${words}`,
    run: (event: KeyboardEvent) =>
      state.byKeys ? doing.step(x, y, event.shiftKey) : doing.pan(-x * PAN_PX, -y * PAN_PX),
  });
  const looking: KeyMap = {
    ArrowLeft: arrow(-1, 0, 'to the left'),
    ArrowRight: arrow(1, 0, 'to the right'),
    ArrowUp: arrow(0, -1, 'up'),
    ArrowDown: arrow(0, 1, 'down'),
    '+': { words: 'Zoom in', run: () => doing.zoom(ZOOM_BY) },
    '=': { words: 'Zoom in', run: () => doing.zoom(ZOOM_BY) },
    '-': { words: 'Zoom out', run: () => doing.zoom(1 / ZOOM_BY) },
    '0': { words: 'All of the picture', run: doing.fit },
    o: { words: 'Rotate the picture', run: doing.rotate },
    m: { words: 'Move', run: () => dispatch({ type: 'tool', tool: 'move' }) },
    h: {
      words: 'Hide my marks, or show them',
      run: () => dispatch({ type: 'hide-marks', hidden: !state.areMarksHidden }),
    },
    i: { words: 'What the chosen class is', run: doing.help },
    c: { words: 'Brightness, contrast, colours', run: doing.light },
  };
  if (isReadOnly) return looking;
  const types = typesOf(state.group, state.only);
  const groups = CATEGORY_GROUPS.filter(({ id }) => typesOf(id, state.only).length > 0);
  const beside = (by: number): void => {
    const at = types.findIndex(({ id }) => id === state.paints.type.id);
    const next = types[(at + by + types.length) % types.length];
    if (next !== undefined) dispatch({ type: 'choose', id: next.id });
  };
  return {
    ...looking,
    p: { words: 'Pen', run: () => dispatch({ type: 'tool', tool: 'pen' }) },
    e: { words: 'Erase', run: () => dispatch({ type: 'tool', tool: 'erase' }) },
    z: { words: 'Fill rest', run: doing.zap },
    u: { words: 'Undo', run: doing.undo },
    r: { words: 'Redo', run: doing.redo },
    ...Object.fromEntries(
      more.map(({ id, key, word }) => [key, { words: word, run: () => dispatch({ type: 'tool', tool: id }) }]),
    ),
    k: { words: state.byKeys ? 'Stop painting by keys' : 'Paint by keys: a cross-hair', run: doing.byKeys },
    ...(state.byKeys ? { Space: { words: 'Pen down or up at the cross-hair', run: doing.press } } : {}),
    Enter: { words: 'Finish what is being made', run: doing.confirm },
    Escape: { words: 'Give up what is being made', run: doing.leave },
    ...Object.fromEntries(
      types
        .slice(0, 9)
        .map(({ id, label }, index) => [
          String(index + 1),
          { words: label, run: () => dispatch({ type: 'choose', id }) },
        ]),
    ),
    '[': { words: 'Class before', run: () => beside(-1) },
    ']': { words: 'Class after', run: () => beside(1) },
    n: {
      words: 'Next kind of classes',
      run: () => {
        const at = groups.findIndex(({ id }) => id === state.group);
        const next = groups[(at + 1) % groups.length];
        if (next !== undefined) dispatch({ type: 'group', group: next.id });
      },
    },
    ...(hasStates
      ? {
          s: {
            words: 'Next state: live, bleached, dead',
            run: () => {
              const states = MODIFIERS.filter(({ id }) => state.paints.type.modifiers.includes(id));
              const next =
                states[(states.findIndex(({ id }) => id === state.paints.mod) + 1) % Math.max(1, states.length)];
              if (next !== undefined) dispatch({ type: 'modifier', mod: next.id });
            },
          },
        }
      : {}),
  };
}
