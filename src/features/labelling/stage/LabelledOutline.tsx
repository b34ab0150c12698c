import { memo } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import { PALETTE_COLOURS, type ClassStyle } from '../../../domain/analysis/palette';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { boxWidth, labelLetter, letterColour, patternKey, type LaidOutPicture } from './label-look';
import { outlineShape } from './outline-shape';
import styles from './OutlineLayers.module.css';

interface Props extends LaidOutPicture {
  readonly outline: Outline;
  readonly style: ClassStyle;
}

/** Outline with its label: colour and hatch over the picture, the border, and the letter. `TopLayer` draws the same. */
export const LabelledOutline = memo(function LabelledOutline({ outline, style, ...laidOut }: Props) {
  const { width, height, turns, prefix } = laidOut;
  const { x, y, side, rounding, baseline, fontSize } = labelLetter(outline, laidOut);
  const wide = boxWidth(style, side);
  const { path } = outlineShape(outline);
  const border = PALETTE_COLOURS[style.palette];
  return (
    <g data-labelled={outline.id}>
      <path
        d={path}
        fill={`url(#${prefix}${patternKey(style)})`}
        fillOpacity={ANALYSIS_LIMITS.mlFillOpacity}
        fillRule="evenodd"
      />
      <path className={styles.border} d={path} stroke={border} />
      <g transform={`translate(${x} ${y}) scale(${1 / width} ${1 / height}) rotate(${-90 * turns})`}>
        <rect
          className={styles.box}
          x={-wide / 2}
          y={-side / 2}
          width={wide}
          height={side}
          rx={rounding}
          fill={border}
        />
        <text className={styles.letter} y={baseline} fontSize={fontSize} fill={letterColour(style)}>
          {style.mark}
        </text>
      </g>
    </g>
  );
});
