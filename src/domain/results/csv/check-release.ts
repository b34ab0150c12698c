import { readCsv } from '../../csv/csv-reader';
import { COVER_CLASSES } from '../cover';
import { isPooledSpread, type PooledSpread } from '../estimates/pooled-spread';
import type { ReefResult } from '../reef-result';
import { readAnswersCsv } from './answers-csv';
import { FIGURE_COLUMNS, figureCells } from './figure-columns';
import { readPhotographsCsv, type PhotographRow } from './photographs-csv';
import { reproduceFigures } from './reproduce-figures';

/** Files of a release, as texts. */
export interface ReleaseFiles {
  /** Photographs with their consensus: what figures are made of. */
  readonly photographs: string;
  /** Spread of covers in the region, JSON. */
  readonly spread: string;
  /** Published figures. */
  readonly results: string;
  /** Answers behind the photographs; null for a release without them. */
  readonly answers: string | null;
}

/** Figure that differs from the published one, or row that contradicts another. */
interface Difference {
  /** Dataset and reef, or the photograph. */
  readonly of: string;
  readonly column: string;
  readonly published: string;
  readonly computed: string;
}

interface ReleaseCheck {
  /** Figures computed from the photographs, by dataset and reef. */
  readonly results: readonly ReefResult[];
  /** Version of the rules that the published figures name; null without figures. */
  readonly pipeline: number | null;
  readonly photographs: number;
  /** Null for a release without answers. */
  readonly answers: number | null;
  readonly differences: readonly Difference[];
}

/**
 * Computes every figure of a release from its photographs, and names each that differs from the published one.
 *
 * @throws ReefError `bad-message` with `{line, column}` for a table that cannot be read; SyntaxError or TypeError for a
 * spread that is not valid
 */
export function checkRelease({ photographs, spread, results, answers }: ReleaseFiles): ReleaseCheck {
  const rows = readPhotographsCsv(photographs);
  const { results: computed } = reproduceFigures(rows, readSpread(spread), { skill: 0, pipeline: 0, release: null });
  const published = readCsv(results, ['datasetId', 'reefId', 'pipelineVersion', ...FIGURE_COLUMNS]);
  const byKey = new Map(published.map((row) => [keyOf(row.text('datasetId'), row.text('reefId')), row]));
  const differences: Difference[] = [];
  for (const result of computed) {
    const of = keyOf(result.datasetId, result.featureId);
    const row = byKey.get(of);
    byKey.delete(of);
    if (row === undefined) differences.push({ of, column: 'reefId', published: 'no row', computed: 'a result' });
    else
      for (const [i, cell] of figureCells(result).entries()) {
        const [column, value] = [FIGURE_COLUMNS[i] ?? '', String(cell ?? '')];
        if (row.text(column) !== value) differences.push({ of, column, published: row.text(column), computed: value });
      }
  }
  for (const of of byKey.keys())
    differences.push({ of, column: 'reefId', published: 'a result', computed: 'no photographs' });
  const answerRows = answers === null ? null : readAnswersCsv(answers);
  if (answerRows !== null) differences.push(...answerDifferences(rows, answerRows));
  return {
    results: computed,
    pipeline: published[0]?.number('pipelineVersion', { min: 0, max: 1e6, isWhole: true }) ?? null,
    photographs: new Set(rows.map(({ imageId }) => imageId)).size,
    answers: answerRows?.length ?? null,
    differences,
  };
}

const keyOf = (datasetId: string, reefId: string): string => `${datasetId} ${reefId}`;

function readSpread(text: string): PooledSpread {
  const spread: unknown = JSON.parse(text);
  if (!isPooledSpread(spread)) throw new TypeError('The file of the spread does not contain the spread of a region.');
  return spread;
}

/** Tolerance of sums of areas. */
const ROUNDING = 1e-6;

/** Photographs whose analysts are not those of their answers, and answers whose shares do not add up to the picture. */
function answerDifferences(
  photographs: readonly PhotographRow[],
  answers: ReturnType<typeof readAnswersCsv>,
): readonly Difference[] {
  const differences: Difference[] = [];
  const found = new Map<string, string[]>();
  for (const { imageId, analyst, shares, unanswered } of answers) {
    found.set(imageId, [...(found.get(imageId) ?? []), analyst]);
    const sum = shares === null ? 1 : COVER_CLASSES.reduce((total, name) => total + shares[name], unanswered);
    if (Math.abs(sum - 1) > ROUNDING)
      differences.push({
        of: `${imageId}, analyst ${analyst}`,
        column: 'shares',
        published: String(sum),
        computed: '1',
      });
  }
  const checked = new Set<string>();
  for (const { imageId, analysts } of photographs) {
    if (checked.has(imageId)) continue;
    checked.add(imageId);
    const given = (found.get(imageId) ?? []).toSorted((a, b) => Number(a) - Number(b)).join(' ');
    if (given !== analysts.join(' '))
      differences.push({ of: imageId, column: 'analysts', published: analysts.join(' '), computed: given });
  }
  for (const imageId of found.keys())
    if (!checked.has(imageId))
      differences.push({ of: imageId, column: 'imageId', published: 'no photograph', computed: 'answers' });
  return differences;
}
