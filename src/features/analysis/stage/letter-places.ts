/** Normalised. */
export interface LetterPlace {
  readonly label: number;
  readonly x: number;
  readonly y: number;
}

/** Cells along the longer side: a letter needs an area of a few cells. */
const CELLS = 64;
/** Smallest area with a letter, fraction of the picture. */
const AREA_MIN = 0.006;
const LETTERS_MAX = 24;

/**
 * Letter position in each larger area of one class: the grid cell farthest from the area's rim. Largest areas first.
 * @param labels of a raster, row by row; 0 is unlabelled
 */
export function letterPlaces(labels: Uint8Array, width: number, height: number): readonly LetterPlace[] {
  const side = Math.max(1, Math.ceil(Math.max(width, height) / CELLS));
  const columns = Math.max(1, Math.floor(width / side));
  const rows = Math.max(1, Math.floor(height / side));
  const cells = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const y = Math.min(height - 1, Math.floor((row + 0.5) * side));
    for (let column = 0; column < columns; column++)
      cells[row * columns + column] = labels[y * width + Math.min(width - 1, Math.floor((column + 0.5) * side))] ?? 0;
  }
  const depth = depths(cells, columns, rows);
  const seen = new Uint8Array(cells.length);
  const areas: { readonly label: number; readonly size: number; readonly at: number }[] = [];
  const waiting: number[] = [];
  for (let start = 0; start < cells.length; start++) {
    const label = cells[start] ?? 0;
    if (label === 0 || seen[start] === 1) continue;
    let size = 0;
    let at = start;
    seen[start] = 1;
    waiting.push(start);
    for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
      size++;
      if ((depth[cell] ?? 0) > (depth[at] ?? 0)) at = cell;
      const column = cell % columns;
      for (const next of [
        column > 0 ? cell - 1 : -1,
        column < columns - 1 ? cell + 1 : -1,
        cell - columns,
        cell + columns,
      ]) {
        if (next < 0 || next >= cells.length || seen[next] === 1 || cells[next] !== label) continue;
        seen[next] = 1;
        waiting.push(next);
      }
    }
    if (size >= AREA_MIN * cells.length) areas.push({ label, size, at });
  }
  areas.sort((a, b) => b.size - a.size);
  return areas
    .slice(0, LETTERS_MAX)
    .map(({ label, at }) => ({
      label,
      x: (((at % columns) + 0.5) * side) / width,
      y: ((Math.floor(at / columns) + 0.5) * side) / height,
    }));
}

/** Distance of each cell to another label or the picture's rim, in city blocks: two sweeps. */
function depths(cells: Uint8Array, columns: number, rows: number): Uint16Array {
  const depth = new Uint16Array(cells.length);
  const from = (cell: number, next: number, isIn: boolean): number =>
    isIn && cells[next] === cells[cell] ? (depth[next] ?? 0) + 1 : 1;
  for (let cell = 0; cell < cells.length; cell++)
    depth[cell] = Math.min(from(cell, cell - 1, cell % columns > 0), from(cell, cell - columns, cell >= columns));
  for (let cell = cells.length - 1; cell >= 0; cell--) {
    depth[cell] = Math.min(
      depth[cell] ?? 1,
      from(cell, cell + 1, cell % columns < columns - 1),
      from(cell, cell + columns, cell < (rows - 1) * columns),
    );
  }
  return depth;
}
