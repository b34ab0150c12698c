export const WAFFLE_CELL = {
  /** Only here: an open cell. */
  here: 0,
  /** On its way: half full. */
  going: 1,
  /** Safe there, with a receipt: full. */
  safe: 2,
  /** Needs attention: coral, with a cross. */
  look: 3,
} as const;

/** Px. */
export interface WaffleLayout {
  readonly perRow: number;
  readonly rows: number;
  /** Side of a cell; `pitch` from one to the next. */
  readonly cell: number;
  readonly pitch: number;
  readonly height: number;
}

/** Gap of a quarter cell; cells of at least 3 px, so rows are added instead. */
export function waffleLayout(count: number, width: number, perRow: number): WaffleLayout {
  const fits = Math.max(1, Math.min(perRow, Math.floor((width + 1) / 4)));
  const pitch = width / (fits - 0.25);
  const rows = Math.ceil(count / fits);
  return { perRow: fits, rows, cell: pitch * 0.75, pitch, height: rows === 0 ? 0 : rows * pitch - pitch * 0.25 };
}

/** Narrower ones have 25 cells a row. */
export const WIDE_WAFFLE_PX = 420;
