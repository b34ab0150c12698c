import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import { roundCoordinate } from '../../domain/analysis/free-draw/marks';
import type { Position } from '../../domain/geobuf/geojson';
import { ANALYSIS_LIMITS } from '../../domain/limits';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';
import { rasterMark } from '../../imaging/label-raster/raster-mark';
import { UNLABELLED } from '../../imaging/label-raster/label-raster';
import { simplify } from '../../imaging/simplify';

export function toRasterMark(mark: FreeDrawMark): RasterMark {
  const label = mark.paints === 'erase' ? UNLABELLED : mark.paints.label;
  const isFlag = mark.kind === 'zap' && mark.paints.type.flag;
  return isFlag ? { kind: 'flag', label } : rasterMark(mark, label);
}

/** Cleaned pen samples with the number of invalid ones. */
interface CleanSamples {
  /** x and y alternating, each from 0 to 1. */
  readonly points: Float64Array;
  /** Number of samples that were not finite. */
  readonly dropped: number;
}

const isWithin = (x: number, y: number): boolean => x >= 0 && x <= 1 && y >= 0 && y <= 1;
const clampUnit = (value: number): number => (value < 0 ? 0 : value > 1 ? 1 : value);

/**
 * Cleans the samples of a stroke: drops values that are not finite, cuts off the parts before it enters and after it
 * finally leaves the picture, and follows the border while outside in between.
 * @param points x and y alternating, normalised
 */
export function cleanSamples(points: ArrayLike<number>): CleanSamples {
  const count = points.length >> 1;
  const kept: number[] = [];
  /** Length up to the last place within the picture, border included. */
  let end = 0;
  let dropped = 0;
  let before: readonly [number, number] | undefined;
  const put = (x: number, y: number): void => {
    kept.push(clampUnit(x), clampUnit(y));
  };
  for (let index = 0; index < count; index++) {
    const x = points[index * 2] ?? NaN;
    const y = points[index * 2 + 1] ?? NaN;
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      dropped += 1;
      continue;
    }
    const isIn = isWithin(x, y);
    if (before !== undefined && isIn !== isWithin(...before)) {
      put(...(isIn ? borderCrossing(x, y, ...before) : borderCrossing(...before, x, y)));
      end = kept.length;
    }
    if (isIn || kept.length > 0) put(x, y);
    if (isIn) end = kept.length;
    before = [x, y];
  }
  return { points: Float64Array.from(kept.slice(0, end)), dropped };
}

function borderCrossing(x: number, y: number, outX: number, outY: number): [number, number] {
  let part = 1;
  for (const [from, to] of [
    [x, outX],
    [y, outY],
  ] as const) {
    if (to < 0) part = Math.min(part, from / (from - to));
    else if (to > 1) part = Math.min(part, (1 - from) / (to - from));
  }
  return [x + (outX - x) * part, y + (outY - y) * part];
}

/**
 * Finishes a stroke for a record: simplified (2§9: "path simplification tolerance 0.0005"), to 5 decimals, within the
 * picture. The cover counts this mark, never the raw samples.
 * @param points x and y alternating, normalised
 * @param onDropped called with the number of invalid samples, if any
 * @returns null if fewer than 4 samples are left (2§9: "minimum 4 points for a trace")
 */
export function finishStroke(points: ArrayLike<number>, onDropped?: (samples: number) => void): Position[] | null {
  const clean = cleanSamples(points);
  if (clean.dropped > 0) onDropped?.(clean.dropped);
  if (clean.points.length >> 1 < ANALYSIS_LIMITS.tracePointsMin) return null;
  const simple = simplify(clean.points, ANALYSIS_LIMITS.simplifyTolerance);
  return Array.from({ length: simple.length >> 1 }, (_, at): Position => [
    roundCoordinate(simple[at * 2] ?? 0),
    roundCoordinate(simple[at * 2 + 1] ?? 0),
  ]);
}
