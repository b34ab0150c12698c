import { CLASS_COUNT } from '../../domain/consensus/shares';

/** Labels of a class raster: the index of a class plus 1, and 0 for no answer. */
const LABELS = CLASS_COUNT + 1;

/** Pixels grouped by the answers of all analysts. */
interface PixelPatterns {
  /** Pattern of each pixel. */
  readonly pixels: Int32Array;
  /** Answers by pattern, one an analyst: the index of a class, or -1 for none. */
  readonly patterns: readonly (readonly number[])[];
  /** Number of pixels by pattern. */
  readonly sizes: readonly number[];
}

/**
 * Groups pixels by their answers, in one pass over each raster. Patterns are numbered in the order of their first pixel.
 *
 * @param rasters labels of each analyst, all of one size: index of the class plus 1, 0 for no answer; null: no answers
 * @param size number of pixels
 */
export function groupPixels(rasters: readonly (Uint8Array | null)[], size: number): PixelPatterns {
  const pixels = new Int32Array(size);
  let patterns: (readonly number[])[] = [[]];
  for (const labels of rasters) {
    if (labels === null) {
      patterns = patterns.map((answers) => [...answers, -1]);
      continue;
    }
    const longer: (readonly number[])[] = [];
    const numbers = new Int32Array(patterns.length * LABELS).fill(-1);
    for (let at = 0; at < size; at++) {
      const [before, label] = [pixels[at] ?? 0, labels[at] ?? 0];
      const key = before * LABELS + label;
      let number = numbers[key] ?? -1;
      if (number < 0) {
        number = longer.length;
        numbers[key] = number;
        longer.push([...(patterns[before] ?? []), label - 1]);
      }
      pixels[at] = number;
    }
    patterns = longer;
  }
  const sizes = new Array<number>(patterns.length).fill(0);
  for (const pattern of pixels) sizes[pattern] = (sizes[pattern] ?? 0) + 1;
  return { pixels, patterns, sizes };
}
