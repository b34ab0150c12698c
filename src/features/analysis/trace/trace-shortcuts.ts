import { MODIFIERS, CATEGORY_GROUPS } from '../../../domain/analysis/free-draw/categories';
import type { ShortcutMap } from '../../../ui/keys/shortcut-registry';
import type { OfferedTool } from '../tools/tool';
import { selectableTypes, type TraceAction, type TraceState } from './trace-state';

interface TraceShortcutActions {
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
  readonly step: (x: number, y: number, isFine: boolean) => void;
  readonly press: () => void;
  readonly confirm: () => void;
  readonly discard: () => void;
}

/** CSS px that an arrow key moves the picture. */
const PAN_PX = 64;
const ZOOM_BY = 1.25;

export function traceShortcuts(
  state: TraceState,
  dispatch: (action: TraceAction) => void,
  actions: TraceShortcutActions,
  isReadOnly: boolean,
  hasStates: boolean,
  areaTools: readonly OfferedTool[],
): ShortcutMap {
  const arrow = (x: number, y: number, words: string) => ({
    label: state.byKeys ? `Move the cross-hair ${words}; Shift for small steps` : `Move the picture ${words}`,
    run: (event: KeyboardEvent) =>
      state.byKeys ? actions.step(x, y, event.shiftKey) : actions.pan(-x * PAN_PX, -y * PAN_PX),
  });
  const types = selectableTypes(state.group, state.only);
  const viewShortcuts: ShortcutMap = {
    ArrowLeft: arrow(-1, 0, 'to the left'),
    ArrowRight: arrow(1, 0, 'to the right'),
    ArrowUp: arrow(0, -1, 'up'),
    ArrowDown: arrow(0, 1, 'down'),
    '+': { label: 'Zoom in', run: () => actions.zoom(ZOOM_BY) },
    '=': { label: 'Zoom in', run: () => actions.zoom(ZOOM_BY) },
    '-': { label: 'Zoom out', run: () => actions.zoom(1 / ZOOM_BY) },
    '0': { label: 'Show the whole picture', run: actions.fit },
    o: { label: 'Rotate the picture', run: actions.rotate },
    m: { label: 'Move', run: () => dispatch({ type: 'tool', tool: 'move' }) },
    h: { label: 'Hide or show my marks', run: () => dispatch({ type: 'hide-marks', hidden: !state.areMarksHidden }) },
    i: { label: 'About the chosen category', run: actions.help },
    c: { label: 'Brightness, contrast, colours', run: actions.light },
    // Also where nothing can be painted: the same keys of the shell would leave the photograph.
    ...Object.fromEntries(
      types
        .slice(0, 9)
        .map(({ id, label }, index) => [String(index + 1), { label, run: () => dispatch({ type: 'choose', id }) }]),
    ),
  };
  if (isReadOnly) return viewShortcuts;
  const groups = CATEGORY_GROUPS.filter(({ id }) => selectableTypes(id, state.only).length > 0);
  const chooseNeighbour = (by: number): void => {
    const at = types.findIndex(({ id }) => id === state.paints.type.id);
    const next = types[(at + by + types.length) % types.length];
    if (next !== undefined) dispatch({ type: 'choose', id: next.id });
  };
  return {
    ...viewShortcuts,
    p: { label: 'Pen', run: () => dispatch({ type: 'tool', tool: 'pen' }) },
    e: { label: 'Erase', run: () => dispatch({ type: 'tool', tool: 'erase' }) },
    z: { label: 'Fill rest', run: actions.zap },
    u: { label: 'Undo', run: actions.undo },
    r: { label: 'Redo', run: actions.redo },
    'Ctrl+z': { label: 'Undo', run: actions.undo },
    'Ctrl+Shift+z': { label: 'Redo', run: actions.redo },
    ...Object.fromEntries(
      areaTools.map(({ id, key, label }) => [key, { label, run: () => dispatch({ type: 'tool', tool: id }) }]),
    ),
    k: {
      label: state.byKeys ? 'Stop painting by keyboard' : 'Paint by keyboard with a cross-hair',
      run: actions.byKeys,
    },
    ...(state.byKeys ? { Space: { label: 'Pen down or up at the cross-hair', run: actions.press } } : {}),
    Enter: { label: 'Finish the current shape', run: actions.confirm },
    Escape: { label: 'Cancel the current shape', run: actions.discard },
    '[': { label: 'Previous category', run: () => chooseNeighbour(-1) },
    ']': { label: 'Next category', run: () => chooseNeighbour(1) },
    n: {
      label: 'Next category group',
      run: () => {
        const at = groups.findIndex(({ id }) => id === state.group);
        const next = groups[(at + 1) % groups.length];
        if (next !== undefined) dispatch({ type: 'group', group: next.id });
      },
    },
    ...(hasStates
      ? {
          s: {
            label: 'Next state: live, bleached, dead',
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
