type RollKeyAction =
  | { readonly kind: 'go'; readonly to: number; readonly extends: boolean }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'open' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'all' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'move'; readonly by: -1 | 1 };

interface KeyInput {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Active tile, tiles in a row, all tiles, rows in a page. */
interface GridPosition {
  readonly index: number;
  readonly columns: number;
  readonly count: number;
  readonly pageRows: number;
}

/** Null for keys the roll does not use. */
export function rollKeyAction(
  { key, shiftKey, ctrlKey, metaKey, altKey }: KeyInput,
  { index, columns, count, pageRows }: GridPosition,
): RollKeyAction | null {
  if (count === 0) return null;
  const go = (to: number): RollKeyAction => ({
    kind: 'go',
    to: Math.min(count - 1, Math.max(0, to)),
    extends: shiftKey,
  });
  if (altKey) {
    if (key === 'ArrowLeft' || key === 'ArrowUp') return { kind: 'move', by: -1 };
    if (key === 'ArrowRight' || key === 'ArrowDown') return { kind: 'move', by: 1 };
    return null;
  }
  if (ctrlKey || metaKey)
    return key.toLowerCase() === 'a' ? { kind: 'all' } : key === 'Home' ? go(0) : key === 'End' ? go(count - 1) : null;
  switch (key) {
    case 'ArrowLeft':
      return go(index - 1);
    case 'ArrowRight':
      return go(index + 1);
    case 'ArrowUp':
      return go(index - columns < 0 ? index : index - columns);
    case 'ArrowDown':
      return go(index + columns);
    case 'PageUp':
      return go(index - columns * pageRows);
    case 'PageDown':
      return go(index + columns * pageRows);
    case 'Home':
      return go(0);
    case 'End':
      return go(count - 1);
    case ' ':
      return { kind: 'toggle' };
    case 'Enter':
      return { kind: 'open' };
    case 'Delete':
    case 'Backspace':
      return { kind: 'remove' };
    case 'Escape':
      return { kind: 'clear' };
    default:
      return null;
  }
}
