import type { Outline } from '../../domain/analysis/labelling/outline';
import { RasterDelta } from './raster-delta';
import type { LabelRaster } from './label-raster';
import { blankRaster, UNLABELLED } from './label-raster';
import { paintPolygon } from './polygon';

/** Parts of an outline that cover depends on. */
type OutlineShape = Pick<Outline, 'id' | 'rings' | 'area'>;

/** Decimals of a fraction: ten-thousandths of a picture. */
const PARTS = 10_000;

/**
 * Paints labelled outlines, smaller ones on top of larger ones; of equal ones the later on top. Unlabelled outlines are
 * as if they were not there.
 * @param labels class 1 to 255 by outline id
 * @param width px
 * @param height px
 * @param zap class of all that is left unlabelled
 * @throws RangeError for a size that no raster has
 */
export function paintOutlines(
  outlines: readonly OutlineShape[],
  labels: ReadonlyMap<string, number>,
  width: number,
  height: number,
  zap?: number,
): LabelRaster {
  const raster = blankRaster(width, height);
  const changes = new RasterDelta();
  // The sort is stable.
  for (const { id, rings } of [...outlines].sort((one, other) => other.area - one.area)) {
    const label = labels.get(id);
    if (label !== undefined)
      paintPolygon(
        raster,
        rings.map((ring) => ring.flat()),
        label,
        changes,
      );
  }
  if (zap !== undefined) changes.paint(raster, 0, raster.labels.length, zap, UNLABELLED);
  return raster;
}

/** Fractions of a picture, 0 to 1 with 4 decimals; with the rest they add up to exactly 1. */
interface OutlineCover {
  /** By label; 0 for one whose outlines are covered by others. */
  readonly labels: ReadonlyMap<string, number>;
  /** Unlabelled. */
  readonly rest: number;
}

/**
 * Cover of each label, counted on a raster of {@link paintOutlines}.
 * @param labels label by outline id
 * @param size of the raster, px
 * @param zap label of all that is left unlabelled
 * @throws RangeError for more than 255 labels
 */
export function outlineCover(
  outlines: readonly OutlineShape[],
  labels: ReadonlyMap<string, string>,
  size: { readonly width: number; readonly height: number },
  zap?: string,
): OutlineCover {
  const present = outlines.filter(({ id }) => labels.has(id)).map(({ id }) => labels.get(id) ?? '');
  const names = [...new Set(zap === undefined ? present : [...present, zap])].sort();
  if (names.length > 255) throw new RangeError(`A raster has 255 labels, not ${names.length}.`);
  const numbers = new Map(names.map((name, index) => [name, index + 1]));
  const { counts } = paintOutlines(
    outlines,
    new Map([...labels].map(([id, name]) => [id, numbers.get(name) ?? UNLABELLED])),
    size.width,
    size.height,
    zap === undefined ? undefined : numbers.get(zap),
  );
  const [rest = 0, ...parts] = fractions(
    ['', ...names].map((_, label) => counts[label] ?? 0),
    size.width * size.height,
  );
  return { labels: new Map(names.map((name, index) => [name, parts[index] ?? 0])), rest };
}

/** Fractions with 4 decimals that add up to 1: those cut off most get what is left. @param total sum of the counts */
function fractions(counts: readonly number[], total: number): readonly number[] {
  const parts = counts.map((count) => Math.floor((count * PARTS) / total));
  const left = PARTS - parts.reduce((sum, part) => sum + part, 0);
  const byLoss = counts
    .map((count, index) => ({ index, loss: (count * PARTS) % total }))
    .sort((one, other) => other.loss - one.loss || one.index - other.index);
  for (const { index } of byLoss.slice(0, left)) parts[index] = (parts[index] ?? 0) + 1;
  return parts.map((part) => part / PARTS);
}
