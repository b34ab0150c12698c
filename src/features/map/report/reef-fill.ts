import { coverBand } from '../../../domain/results/bands';
import type { ReefPaint } from './report-map-props';

/**
 * Numbers in the feature state of a reef for its paint: 0 plain, 1 surveyed, 2..6 the cover bands, 7 surveyed
 * without a published cover.
 */
export const REEF_FILL = { plain: 0, surveyed: 1, firstBand: 2, withoutCover: 7 } as const;

/**
 * Fill of each row of the feature table.
 * @param rows length of the table
 */
export function reefFills(
  rows: number,
  paint: ReefPaint | null,
  shows: { readonly results: boolean; readonly surveyed: boolean },
): Uint8Array {
  const fills = new Uint8Array(rows);
  if (paint === null) return fills;
  for (let row = 0; row < rows; row++) {
    const cover = paint.covers[row] ?? Number.NaN;
    const isSurveyed = paint.surveyed[row] === 1;
    if (shows.results && !Number.isNaN(cover)) fills[row] = REEF_FILL.firstBand + coverBand(cover);
    else if (shows.results && isSurveyed) fills[row] = REEF_FILL.withoutCover;
    else if (shows.surveyed && isSurveyed) fills[row] = REEF_FILL.surveyed;
  }
  return fills;
}
