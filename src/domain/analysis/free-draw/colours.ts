import type { CategoryClass, PaletteLetter } from './categories';

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

/** Palette letter of a class, the same for all its states. */
export const paletteOf = ({ type }: Pick<CategoryClass, 'type'>): PaletteLetter => type.palette;

/** Colour of a class in records and files. */
export const colourOf = (paints: Pick<CategoryClass, 'type'>): string => PALETTE_COLOURS[paletteOf(paints)];
