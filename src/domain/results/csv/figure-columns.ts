import type { ReefResult } from '../reef-result';

/** Covers of a result in the order of their columns. */
export const COVER_KEYS = [
  'branchingCoralCover',
  'platingCoralCover',
  'massiveCoralCover',
  'otherCoralCover',
  'totalCoralCover',
] as const satisfies readonly (keyof NonNullable<ReefResult['covers']>)[];
type CoverKey = (typeof COVER_KEYS)[number];

/** Columns of a cover: value and both ends of its 95% interval, percent. */
export const coverColumns = (key: CoverKey): readonly [value: string, low: string, high: string] => [
  key,
  `${key}Low`,
  `${key}High`,
];
