import type { CsvValue } from '../../csv/csv-writer';
import type { ReefResult } from '../reef-result';

/** Covers of a result in the order of their columns. */
const COVER_KEYS = [
  'branchingCoralCover',
  'platingCoralCover',
  'massiveCoralCover',
  'otherCoralCover',
  'totalCoralCover',
] as const satisfies readonly (keyof NonNullable<ReefResult['covers']>)[];
type CoverKey = (typeof COVER_KEYS)[number];

/** Columns of a cover: value and both ends of its 95% interval, percent. */
const coverColumns = (key: CoverKey): readonly [value: string, low: string, high: string] => [
  key,
  `${key}Low`,
  `${key}High`,
];

/** Columns of a result that photographs decide. */
export const FIGURE_COLUMNS = [
  'Year',
  ...COVER_KEYS.flatMap(coverColumns),
  'dominantCoral',
  'lastSurveyed',
  'photographs',
  'analysts',
  'surveys',
] as const;

/** Cells of {@link FIGURE_COLUMNS}; null where a result has none. */
export function figureCells(result: ReefResult): readonly CsvValue[] {
  const { covers } = result;
  return [
    result.year,
    ...COVER_KEYS.flatMap((key) =>
      covers === null ? [null, null, null] : [covers[key].value, covers[key].low, covers[key].high],
    ),
    result.dominantCoral,
    result.lastSurveyed,
    result.photographs,
    result.analysts,
    result.surveys,
  ];
}
