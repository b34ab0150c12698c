import type { CategoryClass, PaletteLetter } from './categories';

/** The colours of the palette, as the design system has them (`--c-B` and so on): what a record or a file says of a class. */
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

/** The letter of the palette that a class is shown in, whatever its state. */
export const paletteOf = ({ type }: Pick<CategoryClass, 'type'>): PaletteLetter => type.palette;

/** The colour that a record or a file says of a class. */
export const colourOf = (paints: Pick<CategoryClass, 'type'>): string => PALETTE_COLOURS[paletteOf(paints)];
