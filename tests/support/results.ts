import type { CoverEstimate } from '../../src/domain/results/cover';
import type { ReefResult } from '../../src/domain/results/reef-result';

/** The same cover for each class and for all of them. */
export const equalCovers = (cover: CoverEstimate): NonNullable<ReefResult['covers']> => ({
  branchingCoralCover: cover,
  platingCoralCover: cover,
  massiveCoralCover: cover,
  otherCoralCover: cover,
  totalCoralCover: cover,
});

/** Published result of a reef. */
export const RESULT: ReefResult = {
  featureId: '1',
  datasetId: 'grc6',
  year: '2025',
  covers: equalCovers({ value: 20, low: 10, high: 31.5 }),
  dominantCoral: 'branching',
  lastSurveyed: '2025-10-01',
  photographs: 9,
  analysts: 4,
  surveys: 1,
  versions: { skill: 1, pipeline: 1, release: null },
};

const around = (value: number): CoverEstimate => ({ value, low: value - 3, high: value + 3 });

/** Covers that add up, with intervals of 3 points on both sides. */
export const MOORE_COVERS: NonNullable<ReefResult['covers']> = {
  branchingCoralCover: around(11),
  platingCoralCover: around(13),
  massiveCoralCover: around(6),
  otherCoralCover: around(4),
  totalCoralCover: around(34),
};

/** Released result with {@link MOORE_COVERS}. */
export const MOORE_RESULT: ReefResult = {
  ...RESULT,
  featureId: 'gbr-16-071',
  covers: MOORE_COVERS,
  dominantCoral: 'plating',
  lastSurveyed: '2025-11-20',
  photographs: 214,
  analysts: 87,
  surveys: 7,
  versions: { skill: 3, pipeline: 1, release: 2 },
};
