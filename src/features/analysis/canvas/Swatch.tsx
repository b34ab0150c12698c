import { useId } from 'react';
import type { CategoryClass } from '../../../domain/analysis/free-draw/categories';
import { PALETTE_COLOURS, paletteOf } from '../../../domain/analysis/free-draw/colours';
import { HATCH_BOX, HATCHES } from './hatches';
import styles from './Swatch.module.css';

export function Swatch({ of }: { readonly of: Pick<CategoryClass, 'type' | 'mod'> }) {
  const id = useId();
  const letter = paletteOf(of);
  const { path, width, isWhite } = HATCHES[letter];
  const colour = PALETTE_COLOURS[letter];
  return (
    <svg className={styles.swatch} viewBox="0 0 48 32" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <pattern id={id} width={HATCH_BOX} height={HATCH_BOX} patternUnits="userSpaceOnUse">
        <rect width={HATCH_BOX} height={HATCH_BOX} fill={colour} />
        <path
          d={path}
          fill="none"
          stroke={isWhite ? '#ffffff' : '#02253b'}
          strokeOpacity={0.72}
          strokeWidth={width}
          strokeLinecap="round"
        />
      </pattern>
      <rect width="48" height="32" fill={`url(#${id})`} />
      <Letter of={of} x={24} y={16} size={20} />
    </svg>
  );
}

export function Letter({
  of,
  x,
  y,
  size,
}: {
  readonly of: Pick<CategoryClass, 'type' | 'mod'>;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}) {
  const letter = paletteOf(of);
  const { mark } = of.type;
  const width = size * (mark.length > 1 ? 1.4 : 1);
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect x={-width / 2} y={-size / 2} width={width} height={size} rx={size * 0.16} fill={PALETTE_COLOURS[letter]} />
      <text
        className={styles.letter}
        y={size * 0.25}
        fontSize={size * 0.7}
        fill={HATCHES[letter].isWhite ? '#ffffff' : '#02253b'}
      >
        {mark}
      </text>
    </g>
  );
}
