import { ANALYSIS_LIMITS } from '../../limits';
import type { CategoryClass } from './categories';

/** Cover of one class (2§3 "Category stat"). */
interface CategoryStat {
  readonly id: string;
  readonly label: string;
  readonly path: readonly string[];
  readonly mod?: string;
  /** Fraction of the picture, to 4 decimals. */
  readonly coverage: number;
}

export interface FreeDrawStats {
  /** Fraction of the picture covered by any class, to 4 decimals. */
  readonly coverage: number;
  /** Classes with any cover, largest first. */
  readonly categories: readonly CategoryStat[];
}

const SCALE = 10 ** ANALYSIS_LIMITS.coverageDecimals;

/** Rounds a fraction to record precision (2§9 "rounded to 4 decimals"). */
export const roundCoverage = (fraction: number): number => Math.round(fraction * SCALE) / SCALE;

/**
 * Stats from raster counts. A flagged picture has only its flag (2§4: "clears other entries to bad-image only").
 *
 * @param counts px of each label, unpainted first
 */
export function statsOf(counts: ArrayLike<number>, classes: readonly CategoryClass[]): FreeDrawStats {
  let total = 0;
  for (let label = 0; label < counts.length; label++) total += counts[label] ?? 0;
  const painted = classes
    .filter(({ label }) => (counts[label] ?? 0) > 0)
    .sort((a, b) => (counts[b.label] ?? 0) - (counts[a.label] ?? 0) || a.label - b.label);
  const categories = painted.map(({ type, mod, label }): CategoryStat => ({
    id: type.id,
    label: type.label,
    path: type.path,
    ...(mod === undefined ? {} : { mod }),
    coverage: roundCoverage((counts[label] ?? 0) / total),
  }));
  return { coverage: roundCoverage(1 - (counts[0] ?? 0) / total), categories };
}

/** Progress of a picture: its cover, or 1 once it is flagged (2§4). Fraction 0 to 1. */
export function progressOf(counts: ArrayLike<number>, classes: readonly CategoryClass[]): number {
  let total = 0;
  for (let label = 0; label < counts.length; label++) total += counts[label] ?? 0;
  return classes.some(({ label, type }) => type.flag && (counts[label] ?? 0) > 0) ? 1 : 1 - (counts[0] ?? 0) / total;
}

/** 2§4: "Complete at coverage or progress of 0.95 or more." */
export const isComplete = (progress: number): boolean => progress >= ANALYSIS_LIMITS.completeAt;
