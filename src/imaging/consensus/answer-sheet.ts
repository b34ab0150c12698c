import type { AnswerSheet } from '../../domain/consensus/answer-sheet';
import type { Ballot, PictureSize } from '../../domain/consensus/ballot';
import { byId } from '../../domain/consensus/shares';
import { outlineCells } from './outline-cells';
import { rasterCells } from './raster-cells';

/** Longer side of the common grid, px: an outline of 0.5% of the picture has about a thousand of them. */
const GRID_SIDE = 512;
/** Shape of a photograph whose size is in no record. */
const SIZE_DEFAULT: PictureSize = { width: 4, height: 3 };

/**
 * Puts the answers on one photograph together: by outline where all have labelled the same outlines, else on a common
 * grid, with pixels of equal answers counted together. The same bytes in any order of the ballots.
 *
 * @param ballots one an analyst; of several with one analyst, the first by id of the analysis counts
 * @param side longer side of the grid, px
 */
export function answerSheet(ballots: readonly Ballot[], side = GRID_SIDE): AnswerSheet {
  const counted = oneEach(ballots);
  const grid = gridOf(counted, side);
  const cells = outlineCells(counted, grid) ?? rasterCells(counted, grid);
  return {
    analysts: counted.map(({ analyst }) => analyst),
    isExpert: counted.map(({ isExpert }) => isExpert),
    saysBad: counted.map(({ answer }) => answer.kind === 'bad'),
    ...cells,
    compositions: counted.flatMap(({ answer }, analyst) =>
      answer.kind === 'shares' ? [{ analyst, shares: answer.shares }] : [],
    ),
  };
}

function oneEach(ballots: readonly Ballot[]): readonly Ballot[] {
  const sorted = [...ballots].sort(
    (one, other) => byId(one.analyst, other.analyst) || byId(one.analysisId, other.analysisId),
  );
  return sorted.filter(({ analyst }, index) => analyst !== sorted[index - 1]?.analyst);
}

/** Grid with the shape of the picture, by the first record that contains it. */
function gridOf(ballots: readonly Ballot[], side: number): PictureSize {
  const { width, height } =
    ballots.find(({ size }) => size !== null && size.width > 0 && size.height > 0)?.size ?? SIZE_DEFAULT;
  const scale = side / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
