import type { PaletteLetter } from '../../../domain/analysis/palette';

export const HATCH_BOX = 12;

/** Hatch: lines in a tiled 12 by 12 box, their width, and white (on dark fills) or ink. */
export interface Hatch {
  readonly path: string;
  readonly width: number;
  readonly isWhite: boolean;
}

const ink = (path: string, width = 1.4): Hatch => ({ path, width, isWhite: false });
const white = (path: string, width = 1.4): Hatch => ({ path, width, isWhite: true });

/** Hatch for each palette colour, so that colour is never the only sign. */
export const HATCHES: Readonly<Record<PaletteLetter, Hatch>> = {
  B: ink('M-2 2l4-4M0 12L12 0M10 14l4-4'),
  P: ink('M0 3h12M0 9h12'),
  M: white('M6 2.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z'),
  H: ink('M6 3v6M3 6h6'),
  S: ink('M0 4c3-3 3 3 6 0s3 3 6 0M0 10c3-3 3 3 6 0s3 3 6 0'),
  E: ink('M3 2a1.3 1.3 0 1 0 0 2.6a1.3 1.3 0 1 0 0-2.6zM9 8a1.3 1.3 0 1 0 0 2.6a1.3 1.3 0 1 0 0-2.6z'),
  D: white('M3 3l6 6M9 3l-6 6'),
  A: white('M3 1v5M9 7v5'),
  R: ink('M1 3l4 2M8 1l2 3M2 10l3-2M8 9l4 1'),
  T: white('M0 .5h12M0 6.5h12M3 .5v6M9 6.5v6'),
  N: ink('M2 2v.1M8 2v.1M5 6v.1M11 6v.1M2 10v.1M8 10v.1', 2),
  W: white('M-2 10l4 4M0 0l12 12M10-2l4 4'),
  G: ink('M3 9l3-6 3 6z'),
  U: ink('M0 8l3-4 3 4 3-4 3 4'),
  X: white('M0 0h12M0 6h12M0 0v12M6 0v12'),
};
