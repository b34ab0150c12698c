/**
 * Next index in a grid: arrows, Home and End in the row (grid with Ctrl), Page up and down by `pageRows`. Null for
 * other keys.
 */
export function gridStep(
  key: string,
  index: number,
  grid: { readonly count: number; readonly perRow: number; readonly pageRows?: number; readonly ctrl?: boolean },
): number | null {
  const { count, perRow, pageRows = 3, ctrl = false } = grid;
  if (count <= 0) return null;
  const last = count - 1;
  const lineStart = index - (index % perRow);
  const within = (to: number) => Math.min(last, Math.max(0, to));
  /** Moves by rows in the same column; below a short last row, to its last cell. */
  const lines = (by: number) => {
    const to = index + by * perRow;
    if (to < 0) return index % perRow;
    if (to <= last) return to;
    const lastLine = last - (last % perRow);
    return lineStart === lastLine ? index : within(lastLine + (index % perRow));
  };
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1);
    case 'ArrowRight':
      return within(index + 1);
    case 'ArrowUp':
      return index < perRow ? index : lines(-1);
    case 'ArrowDown':
      return lines(1);
    case 'PageUp':
      return lines(-pageRows);
    case 'PageDown':
      return lines(pageRows);
    case 'Home':
      return ctrl ? 0 : lineStart;
    case 'End':
      return ctrl ? last : within(lineStart + perRow - 1);
    default:
      return null;
  }
}
