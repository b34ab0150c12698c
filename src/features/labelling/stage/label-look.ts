import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../../domain/analysis/palette';
import { HATCHES } from '../../analysis';
import { labelPlace } from './label-place';

/** Picture as it is laid out, with the patterns that its labels use. */
export interface LaidOutPicture {
  /** CSS px of the whole picture. */
  readonly width: number;
  readonly height: number;
  /** Quarter turns clockwise, 0 to 3. */
  readonly turns: number;
  /** Prefix of the ids of patterns. */
  readonly prefix: string;
}

/** Pattern of a style: the same for all that have its colours. */
export const patternKey = ({ palette, stripe }: ClassStyle): string => `${palette}${stripe ?? ''}`;

/** Side of a letter, CSS px. */
const LETTER_MAX = 26;
const LETTER_MIN = 13;

/** Id of a style's pattern in the coordinates of the topmost layer, CSS px. */
export const topPatternId = (style: ClassStyle, { prefix }: Pick<LaidOutPicture, 'prefix'>): string =>
  `${prefix}top-${patternKey(style)}`;

/** Letter of a label: its middle, normalised, and its sizes in CSS px. */
export function labelLetter(outline: Outline, { width, height }: Pick<LaidOutPicture, 'width' | 'height'>) {
  const { x, y, room } = labelPlace(outline, height / width);
  const side = Math.max(LETTER_MIN, Math.min(LETTER_MAX, room * width * 1.3));
  return { x, y, side, rounding: side * 0.16, baseline: side * 0.25, fontSize: side * 0.68 };
}

/** Width of the box of a mark: two letters need more. @param side px */
export const boxWidth = ({ mark }: ClassStyle, side: number): number => side * (mark.length > 1 ? 1.4 : 1);

export const letterColour = ({ palette }: ClassStyle): string => (HATCHES[palette].isWhite ? '#ffffff' : '#02253b');
