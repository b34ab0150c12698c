import type { FeatureCollection, LineString } from 'geojson';
import { formatDegreesMinutes } from '../../domain/position/format-position';

/** Degrees. `east` may exceed 180 across the date line. */
export interface ChartEdges {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface GraticuleLine {
  readonly kind: 'meridian' | 'parallel';
  /** Degrees. */
  readonly at: number;
  readonly label: string;
}

/** Spacings in sixtieths of a minute, so that sums stay integers. */
const STEPS = [6, 12, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 108_000, 324_000] as const;
const PER_DEGREE = 3600;

/** Finest spacing with at most `wanted` lines, degrees. */
export function graticuleStep(span: number, wanted = 4): number {
  const step =
    STEPS.find((seconds) => span / (seconds / PER_DEGREE) <= wanted) ?? STEPS[STEPS.length - 1] ?? PER_DEGREE;
  return step / PER_DEGREE;
}

export function graticule(edges: ChartEdges): readonly GraticuleLine[] {
  const span = Math.max(edges.east - edges.west, edges.north - edges.south);
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const step = Math.round(graticuleStep(span) * PER_DEGREE);
  const every = (from: number, to: number): number[] => {
    const lines: number[] = [];
    for (let line = Math.ceil((from * PER_DEGREE) / step) * step; line <= to * PER_DEGREE; line += step)
      lines.push(line / PER_DEGREE);
    return lines;
  };
  return [
    ...every(edges.west, edges.east).map((at): GraticuleLine => ({
      kind: 'meridian',
      at,
      label: lineLabel(((((at + 180) % 360) + 360) % 360) - 180, 'E', 'W'),
    })),
    ...every(Math.max(-85, edges.south), Math.min(85, edges.north)).map((at): GraticuleLine => ({
      kind: 'parallel',
      at,
      label: lineLabel(at, 'N', 'S'),
    })),
  ];
}

/** Length of a label and its gap, px; width of the strip along an edge that the other labels use. */
const LABEL_PX = 88;
const STRIP_PX = 44;

/** Lines whose labels fit the frame: apart from each other, and out of the corner that both edges share. */
export function labelledLines<Line extends { readonly kind: 'meridian' | 'parallel'; readonly at: number }>(
  lines: readonly Line[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly Line[] {
  const last = { meridian: -Infinity, parallel: -Infinity };
  const end = { meridian: width - LABEL_PX / 2, parallel: height - STRIP_PX - LABEL_PX / 2 };
  return lines
    .toSorted((a, b) => a.at - b.at)
    .filter(({ kind, at }) => {
      const fits = at >= LABEL_PX / 2 && at <= end[kind] && at - last[kind] >= LABEL_PX;
      if (fits) last[kind] = at;
      return fits;
    });
}

/** `16° S`, `16° 30′ S`, `16° 30.5′ S`. */
function lineLabel(at: number, positive: string, negative: string): string {
  return formatDegreesMinutes(at, positive, negative).replace('.0′', '′').replace(' 00′', '');
}

export function graticuleFeatures(edges: ChartEdges): FeatureCollection<LineString, { label: string }> {
  return {
    type: 'FeatureCollection',
    features: graticule(edges).map(({ kind, at, label }) => ({
      type: 'Feature',
      properties: { label },
      geometry: {
        type: 'LineString',
        coordinates:
          kind === 'meridian'
            ? [
                [at, Math.max(-85, edges.south)],
                [at, Math.min(85, edges.north)],
              ]
            : [
                [edges.west, at],
                [edges.east, at],
              ],
      },
    })),
  };
}

/** Longest round distance up to `max` nautical miles. */
export function scaleMiles(max: number): number {
  if (!(max > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(max));
  return ([5, 2, 1].find((digit) => digit * power <= max) ?? 1) * power;
}
