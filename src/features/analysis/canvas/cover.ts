import { CATEGORY_CLASSES, type CategoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import { isComplete, progressOf, statsOf, type FreeDrawStats } from '../../../domain/analysis/free-draw/stats';
import { ANALYSIS_LIMITS } from '../../../domain/limits';

/** Progress and cover by type, as fractions, 0 to 1. */
export interface Cover {
  readonly progress: number;
  readonly isComplete: boolean;
  readonly flag: CategoryClass | null;
  /** Cover by type id, all states together. */
  readonly byType: ReadonlyMap<string, number>;
}

export const NO_COVER: Cover = { progress: 0, isComplete: false, flag: null, byType: new Map() };

/** @param counts px of each label, unlabelled first; null before there is a raster */
export function coverOf(counts: ArrayLike<number> | null): Cover {
  if (counts === null) return NO_COVER;
  let total = 0;
  for (let label = 0; label < counts.length; label++) total += counts[label] ?? 0;
  if (total === 0) return NO_COVER;
  const byType = new Map<string, number>();
  let flag: CategoryClass | null = null;
  for (const each of CATEGORY_CLASSES) {
    const count = counts[each.label] ?? 0;
    if (count === 0) continue;
    byType.set(each.type.id, (byType.get(each.type.id) ?? 0) + count / total);
    if (each.type.flag) flag = each;
  }
  const progress = progressOf(counts, CATEGORY_CLASSES);
  return { progress, isComplete: isComplete(progress), flag, byType };
}

/**
 * Marks and stats to save. A flagged picture keeps the flag alone over the whole image (2§4: "clears other entries to
 * bad-image only"); the stats equal those of reading the marks back.
 * @param counts px of each label, unlabelled first
 */
export function savedWork(
  marks: readonly FreeDrawMark[],
  counts: ArrayLike<number>,
): { readonly marks: readonly FreeDrawMark[]; readonly stats: FreeDrawStats } {
  const { flag } = coverOf(counts);
  if (flag === null) return { marks, stats: statsOf(counts, CATEGORY_CLASSES) };
  const since = marks.findLast(({ paints }) => paints === flag)?.since ?? marks.at(-1)?.since ?? 0;
  return {
    marks: [{ kind: 'zap', since, paints: flag }],
    stats: statsOf(
      Uint32Array.from({ length: 256 }, (_, label) => (label === flag.label ? 1 : 0)),
      [flag],
    ),
  };
}

/** Formats a fraction as a whole percentage, rounded down: 94.9 % must not read as 95 %. */
export function formatCover(fraction: number): string {
  if (fraction > 0 && fraction < 0.01) return '<1%';
  return `${Math.floor(fraction * 100 + 1e-9)}%`;
}

/** Percentage missing until saving is possible, rounded up. */
export function percentToGo(progress: number): number {
  return Math.max(0, Math.ceil((ANALYSIS_LIMITS.completeAt - progress) * 100 - 1e-9));
}
