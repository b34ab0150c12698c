import { PALETTE_COLOURS, type ClassStyle } from '../../../domain/analysis/palette';
import { HATCH_BOX, HATCHES } from './hatches';

interface Props {
  readonly id: string;
  readonly of: Pick<ClassStyle, 'palette' | 'stripe'>;
  /** Transform of the tile of 12 by 12 px. */
  readonly transform?: string;
}

/** SVG pattern of a class: its colour with its hatch, or wide stripes of two colours. */
export function HatchPattern({ id, of: { palette, stripe }, transform }: Props) {
  const { path, width, isWhite } = HATCHES[palette];
  return (
    <pattern id={id} width={HATCH_BOX} height={HATCH_BOX} patternUnits="userSpaceOnUse" patternTransform={transform}>
      <rect width={HATCH_BOX} height={HATCH_BOX} fill={PALETTE_COLOURS[palette]} />
      {stripe === undefined ? (
        <path
          d={path}
          fill="none"
          stroke={isWhite ? '#ffffff' : '#02253b'}
          strokeOpacity={0.72}
          strokeWidth={width}
          strokeLinecap="round"
        />
      ) : (
        <path d="M-3 3L3 -3M-3 15L15 -3M9 15L15 9" stroke={PALETTE_COLOURS[stripe]} strokeWidth={4.24} />
      )}
    </pattern>
  );
}
