import { countedSteps, stepPaint, type LabelCover } from '../../domain/analysis/labelling/label-stats';
import { savedOutlines, type Labelling } from '../../domain/analysis/labelling/labelling';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import { countCover } from '../../workers/label-cover/label-cover';

/** Width of the raster that cover is counted on, px: that of the screen's picture (2§9 "2000 (ML)"). */
const RASTER_WIDTH = 2000;
const RASTER_HEIGHT_MAX = 4000;

/** Cover of each counted step of a labelling, as its record stores it. */
export async function labelCover(
  labelling: Labelling,
  { width, height }: Pick<OutlineSet, 'width' | 'height'>,
): Promise<LabelCover> {
  const ratio = width > 0 ? height / width : 1;
  const size = {
    width: RASTER_WIDTH,
    height: Math.min(RASTER_HEIGHT_MAX, Math.max(1, Math.round(RASTER_WIDTH * ratio))),
  };
  const outlines = savedOutlines(labelling);
  const covers = await Promise.all(
    countedSteps(labelling).map(
      async (step) => [step, await countCover({ outlines, labels: stepPaint(labelling, step), ...size })] as const,
    ),
  );
  return Object.fromEntries(covers);
}
