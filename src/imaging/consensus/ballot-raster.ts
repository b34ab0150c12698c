import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import type { BallotAnswer, PictureSize } from '../../domain/consensus/ballot';
import { coverOfType } from '../../domain/consensus/cover-classes';
import { CLASS_INDEX } from '../../domain/consensus/shares';
import type { CoverClass } from '../../domain/results/cover';
import { blankRaster, UNLABELLED } from '../label-raster/label-raster';
import { paintOutlines } from '../label-raster/outline-cover';
import { RasterDelta } from '../label-raster/raster-delta';
import { applyMark, rasterMark } from '../label-raster/raster-mark';

/** Label of a class in a raster: its index plus 1. */
const labelOf = (cover: CoverClass): number => CLASS_INDEX[cover] + 1;

/**
 * Class of each pixel in an answer: the index of the class plus 1, 0 where the analyst outlined or painted nothing.
 * null for an answer without places.
 *
 * @param grid px
 */
export function ballotRaster(answer: BallotAnswer, { width, height }: PictureSize): Uint8Array | null {
  switch (answer.kind) {
    case 'outlines': {
      const labels = new Map(
        answer.outlines.flatMap(({ id, cover }): [string, number][] => (cover === null ? [] : [[id, labelOf(cover)]])),
      );
      const fill = answer.fill === null ? undefined : labelOf(answer.fill);
      return paintOutlines(answer.outlines, labels, width, height, fill).labels;
    }
    case 'marks': {
      const raster = blankRaster(width, height);
      const radius = (answer.penShare * width) / 2;
      for (const mark of answer.marks)
        applyMark(raster, rasterMark(mark, labelOfMark(mark)), radius, new RasterDelta());
      return raster.labels;
    }
    case 'shares':
    case 'bad':
      return null;
  }
}

function labelOfMark({ paints }: FreeDrawMark): number {
  const cover = paints === 'erase' ? undefined : coverOfType(paints);
  return cover === undefined || cover === 'bad' ? UNLABELLED : labelOf(cover);
}
