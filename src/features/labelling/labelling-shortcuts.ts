import type { LabelOption } from '../../domain/analysis/labelling/label-sets';
import type { ShortcutMap } from '../../ui/keys/shortcut-registry';
import { OPTION_KEYS } from './panel/CategoryList';
import type { Direction } from './stage/neighbours';

interface LabelShortcutActions {
  readonly choose: (id: string) => void;
  readonly neighbour: (direction: Direction) => void;
  readonly step: (by: 1 | -1) => void;
  readonly nextOpen: () => void;
  readonly zoom: (by: 1 | -1) => void;
  readonly fit: () => void;
  readonly rotate: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly help: () => void;
  readonly skip: () => void;
  readonly goBack: () => void;
  readonly main: () => void;
  readonly pen: () => void;
  readonly move: () => void;
  readonly erase: () => void;
  readonly fill: () => void;
}

/** Keys of the labelling screen: numbers label, arrows go between outlines. */
export function labelShortcuts(
  options: readonly LabelOption[],
  actions: LabelShortcutActions,
  { isReadOnly, isExpert }: { readonly isReadOnly: boolean; readonly isExpert: boolean },
): ShortcutMap {
  const looking: ShortcutMap = {
    ArrowLeft: { label: 'Outline to the left', run: () => actions.neighbour('left') },
    ArrowRight: { label: 'Outline to the right', run: () => actions.neighbour('right') },
    ArrowUp: { label: 'Outline above', run: () => actions.neighbour('up') },
    ArrowDown: { label: 'Outline below', run: () => actions.neighbour('down') },
    ']': { label: 'Next outline, largest first', run: () => actions.step(1) },
    '[': { label: 'Previous outline', run: () => actions.step(-1) },
    n: { label: 'Next outline without a label', run: actions.nextOpen },
    '+': { label: 'Zoom in', run: () => actions.zoom(1) },
    '=': { label: 'Zoom in', run: () => actions.zoom(1) },
    '-': { label: 'Zoom out', run: () => actions.zoom(-1) },
    f: { label: 'Show the whole picture', run: actions.fit },
    o: { label: 'Rotate the picture', run: actions.rotate },
    i: { label: 'About the categories', run: actions.help },
    x: { label: 'Skip image', run: actions.skip },
    b: { label: 'Back', run: actions.goBack },
    c: { label: 'Continue or Submit', run: actions.main },
    // Also where nothing can be labelled: the same keys of the shell would leave the photograph.
    ...Object.fromEntries(
      options.flatMap(({ id, label }, index) => {
        const key = OPTION_KEYS[index];
        return key === undefined ? [] : [[key, { label, run: () => actions.choose(id) }]];
      }),
    ),
  };
  if (isReadOnly) return looking;
  return {
    ...looking,
    u: { label: 'Undo', run: actions.undo },
    r: { label: 'Redo', run: actions.redo },
    'Ctrl+z': { label: 'Undo', run: actions.undo },
    'Ctrl+Shift+z': { label: 'Redo', run: actions.redo },
    ...(isExpert
      ? {
          p: { label: 'Draw an outline', run: actions.pen },
          m: { label: 'Move', run: actions.move },
          e: { label: 'Erase this outline', run: actions.erase },
          z: { label: 'Fill rest', run: actions.fill },
        }
      : {}),
  };
}
