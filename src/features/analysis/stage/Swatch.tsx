import { useId } from 'react';
import type { CategoryClass } from '../../../domain/analysis/free-draw/categories';
import { paletteOf } from '../../../domain/analysis/free-draw/colours';
import { PALETTE_COLOURS, type ClassStyle } from '../../../domain/analysis/palette';
import { HatchPattern } from './HatchPattern';
import { HATCHES } from './hatches';
import styles from './Swatch.module.css';

/** Colour, hatch and letter of a class of tracing. */
export function Swatch({ of }: { readonly of: Pick<CategoryClass, 'type' | 'mod'> }) {
  return <PaletteSwatch palette={paletteOf(of)} mark={of.type.mark} />;
}

/** Colour, hatch and letter of any class. */
export function PaletteSwatch(style: ClassStyle) {
  const { palette, mark } = style;
  const id = useId();
  return (
    <svg className={styles.swatch} viewBox="0 0 48 32" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <HatchPattern id={id} of={style} />
      <rect width="48" height="32" fill={`url(#${id})`} />
      <Letter palette={palette} mark={mark} x={24} y={16} size={20} />
    </svg>
  );
}

/** Letter of a class on its colour, for the picture. @param size side in units of the surrounding SVG */
export function Letter({
  palette,
  mark,
  x,
  y,
  size,
}: ClassStyle & { readonly x: number; readonly y: number; readonly size: number }) {
  const width = size * (mark.length > 1 ? 1.4 : 1);
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect x={-width / 2} y={-size / 2} width={width} height={size} rx={size * 0.16} fill={PALETTE_COLOURS[palette]} />
      <text
        className={styles.letter}
        y={size * 0.25}
        fontSize={size * 0.7}
        fill={HATCHES[palette].isWhite ? '#ffffff' : '#02253b'}
      >
        {mark}
      </text>
    </g>
  );
}
