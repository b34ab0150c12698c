import type { PaletteLetter } from '../palette';
import { PALETTE_COLOURS } from '../palette';
import type { CategoryClass } from './categories';

/** Palette letter of a class, the same for all its states. */
export const paletteOf = ({ type }: Pick<CategoryClass, 'type'>): PaletteLetter => type.palette;

/** Colour of a class in records and files. */
export const colourOf = (paints: Pick<CategoryClass, 'type'>): string => PALETTE_COLOURS[paletteOf(paints)];
