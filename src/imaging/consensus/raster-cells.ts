import type { SheetCell, SheetPlace } from '../../domain/consensus/answer-sheet';
import { NO_ANSWER } from '../../domain/consensus/answer-sheet';
import type { Ballot, PictureSize } from '../../domain/consensus/ballot';
import { ballotRaster } from './ballot-raster';
import type { SheetCells } from './outline-cells';
import { groupPixels } from './pixel-patterns';

/** Tiles along the longer side of a picture: each counts as one judgement. */
const TILES = 8;

/**
 * Places of analysts whose outlines differ, or who painted: tiles of the picture. A pixel has the answer of each
 * analyst by the centre of its cell of the grid; pixels with equal answers become one pattern. What no one outlined is
 * no coral if anyone labelled outlines, else, as what no one painted, unknown.
 */
export function rasterCells(ballots: readonly Ballot[], grid: PictureSize): SheetCells {
  const { width, height } = grid;
  const rasters = ballots.map(({ answer }) => ballotRaster(answer, grid));
  const hasOutlines = ballots.some(({ answer }) => answer.kind === 'outlines');
  const { pixels, patterns, sizes } = groupPixels(rasters, width * height);
  const total = width * height;
  const side = Math.max(1, Math.ceil(Math.max(width, height) / TILES));
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  /** Pixels by tile and pattern. */
  const counts = new Map<number, number>();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const key =
        (Math.floor(y / side) * columns + Math.floor(x / side)) * patterns.length + (pixels[y * width + x] ?? 0);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const isAnswered = patterns.map((answers) => answers.some((answer) => answer !== NO_ANSWER));
  const kept = patterns.flatMap((_, index) => (isAnswered[index] === true ? [index] : []));
  const position = new Map(kept.map((index, at) => [index, at]));
  const cells: SheetCell[] = [];
  for (const [key, count] of [...counts].sort(([one], [other]) => one - other)) {
    const pattern = position.get(key % patterns.length);
    if (pattern !== undefined) cells.push({ place: Math.floor(key / patterns.length), pattern, area: count / total });
  }
  const open = patterns.reduce((sum, _, index) => sum + (isAnswered[index] === true ? 0 : (sizes[index] ?? 0)), 0);
  return {
    places: Array.from({ length: columns * rows }, (_, tile) => tilePlace(tile, columns, side, grid)),
    patterns: kept.map((index) => ({ answers: patterns[index] ?? [], area: (sizes[index] ?? 0) / total })),
    cells,
    unanswered: hasOutlines ? { none: open / total, unknown: 0 } : { none: 0, unknown: open / total },
  };
}

function tilePlace(tile: number, columns: number, side: number, { width, height }: PictureSize): SheetPlace {
  const [column, row] = [tile % columns, Math.floor(tile / columns)];
  return {
    kind: 'tile',
    id: `${column}-${row}`,
    box: [
      (column * side) / width,
      (row * side) / height,
      Math.min(1, ((column + 1) * side) / width),
      Math.min(1, ((row + 1) * side) / height),
    ],
  };
}
