/** What a cell of the waffle says of one photograph. */
export const WAFFLE_CELL = {
  /** Only here: an open cell. */
  here: 0,
  /** On its way: half full. */
  going: 1,
  /** Safe there, with a receipt: full. */
  safe: 2,
  /** Needs a look: coral, with a cross. */
  look: 3,
} as const;

export type WaffleCell = (typeof WAFFLE_CELL)[keyof typeof WAFFLE_CELL];

/** Where the cells of a waffle lie, px. */
export interface WaffleLayout {
  readonly perRow: number;
  readonly rows: number;
  /** One cell's side, and from one to the next. */
  readonly cell: number;
  readonly pitch: number;
  readonly height: number;
}

/** The gap is a quarter of a cell, as far as whole eighths of a pixel go; a cell is at least 3 px, so rows grow rather than vanish. */
export function waffleLayout(count: number, width: number, perRow: number): WaffleLayout {
  const fits = Math.max(1, Math.min(perRow, Math.floor((width + 1) / 4)));
  const pitch = width / (fits - 0.25);
  const rows = Math.ceil(count / fits);
  return { perRow: fits, rows, cell: pitch * 0.75, pitch, height: rows === 0 ? 0 : rows * pitch - pitch * 0.25 };
}

/** The width from which a waffle has 50 cells a row; below it 25, so that a cell stays readable on a phone. */
export const WIDE_WAFFLE_PX = 420;
