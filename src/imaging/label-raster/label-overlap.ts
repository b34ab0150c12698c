/** Labels row by row, one byte a pixel. */
export interface LabelPicture {
  readonly labels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Pixels of one class in two pictures. */
interface SharedPixels {
  readonly first: number;
  readonly second: number;
  readonly both: number;
}

/**
 * Counts the pixels of a class in two pictures of the same thing, at the size of the second.
 * @param isFirst by label of the first: true if it is of the class
 * @param isSecond by label of the second
 */
export function sharedPixels(
  first: LabelPicture,
  second: LabelPicture,
  isFirst: readonly boolean[],
  isSecond: readonly boolean[],
): SharedPixels {
  const counts = { first: 0, second: 0, both: 0 };
  const columns = Int32Array.from({ length: second.width }, (_, x) =>
    Math.floor(((x + 0.5) * first.width) / second.width),
  );
  for (let y = 0; y < second.height; y++) {
    const row = Math.floor(((y + 0.5) * first.height) / second.height) * first.width;
    for (let x = 0; x < second.width; x++) {
      const inFirst = isFirst[first.labels[row + (columns[x] ?? 0)] ?? 0] === true;
      const inSecond = isSecond[second.labels[y * second.width + x] ?? 0] === true;
      if (inFirst) counts.first++;
      if (inSecond) counts.second++;
      if (inFirst && inSecond) counts.both++;
    }
  }
  return counts;
}
