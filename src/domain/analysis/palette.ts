/** Fifteen colours and hatches that stay distinct with any colour vision (CIEDE2000 of 13 or more between any two). */
export type PaletteLetter = 'B' | 'P' | 'M' | 'H' | 'S' | 'E' | 'D' | 'A' | 'R' | 'T' | 'N' | 'W' | 'G' | 'U' | 'X';

/** Appearance of a class: a palette colour with its hatch, and a mark of one or two letters. */
export interface ClassStyle {
  /** Palette letter: `--c-B` is the colour, `h-B` the hatch. */
  readonly palette: PaletteLetter;
  /** Second colour of a striped class: wide stripes of it replace the hatch. */
  readonly stripe?: PaletteLetter;
  /** Letters on the colour, unique for each type. */
  readonly mark: string;
}

/** Palette colours, the same as the design system's (`--c-B` and so on), for records and files. */
export const PALETTE_COLOURS: Readonly<Record<PaletteLetter, string>> = {
  B: '#f69b01',
  P: '#fe379b',
  M: '#5d07fe',
  H: '#ffff31',
  S: '#bda4cc',
  E: '#e3ffe8',
  D: '#40210d',
  A: '#578105',
  R: '#a98769',
  T: '#9e3955',
  N: '#face9a',
  W: '#121886',
  G: '#86fcff',
  U: '#6f8ffb',
  X: '#100718',
};
