import { readCsv } from '../../csv/csv-reader';
import type { CsvValue } from '../../csv/csv-writer';
import { writeCsv } from '../../csv/csv-writer';
import { COVER_CLASSES, type CoverShares } from '../cover';
import { compareText } from '../estimates/survey-estimate';
import { readFlag, readFraction, readShares, shareColumn } from './share-columns';

/** Answer of one analyst on a photograph, before it meets those of others. */
export interface AnalystAnswer {
  readonly analyst: string;
  readonly isExpert: boolean;
  readonly saysBad: boolean;
  /** Shares of the whole picture, without area that has no answer of this analyst; null without marks and percentages. */
  readonly shares: CoverShares | null;
  /** Share of the picture without an answer of this analyst, 0..1. */
  readonly unanswered: number;
}

/** Answer of one analyst on one exported photograph. */
export interface AnswerRow extends AnalystAnswer {
  readonly imageId: string;
}

const COLUMNS: readonly string[] = [
  'imageId',
  'analyst',
  'isExpert',
  'saysBad',
  ...COVER_CLASSES.map(shareColumn),
  'unansweredShare',
];

/**
 * Answers behind exported photographs as CSV, a row an analysis, in order of photograph and analyst. Photographs and
 * analysts have the numbers of the same export. Shares are fractions of the whole picture as the analyst gave them;
 * empty where an answer has none, such as a flag.
 *
 * @param numbers number by analyst ({@link analystNumbers})
 */
export function answersCsv(rows: readonly AnswerRow[], numbers: ReadonlyMap<string, number>): string {
  const numberOf = ({ analyst }: AnswerRow): number => numbers.get(analyst) ?? 0;
  const inOrder = [...rows].sort((a, b) => compareText(a.imageId, b.imageId) || numberOf(a) - numberOf(b));
  return writeCsv([
    COLUMNS,
    ...inOrder.map((row): readonly CsvValue[] => [
      row.imageId,
      numberOf(row),
      row.isExpert,
      row.saysBad,
      ...COVER_CLASSES.map((name) => row.shares?.[name] ?? null),
      row.unanswered,
    ]),
  ]);
}

/**
 * Numbers of the analysts of an export, from 1, in the order of what they answered. An order of ids would say where among
 * all analysts a person is whose id is known, and so perhaps which of the few experts.
 */
export function analystNumbers(rows: readonly AnswerRow[]): ReadonlyMap<string, number> {
  const answered = new Map<string, string[]>();
  for (const { analyst, imageId, isExpert, saysBad, shares, unanswered } of rows) {
    const answers = answered.get(analyst) ?? [];
    answers.push([imageId, isExpert, saysBad, ...COVER_CLASSES.map((name) => shares?.[name] ?? ''), unanswered].join());
    answered.set(analyst, answers);
  }
  return new Map(
    [...answered]
      .map(([analyst, answers]) => ({ analyst, text: answers.sort(compareText).join(' ') }))
      // People with the same answers need no order among them.
      .sort((a, b) => compareText(a.text, b.text) || compareText(a.analyst, b.analyst))
      .map(({ analyst }, index) => [analyst, index + 1]),
  );
}

/** Reads exported answers; analysts have their numbers as ids. @throws ReefError `bad-message` with `{line, column}` */
export function readAnswersCsv(text: string): readonly AnswerRow[] {
  return readCsv(text, COLUMNS).map((row) => ({
    imageId: row.text('imageId'),
    analyst: row.text('analyst'),
    isExpert: readFlag(row, 'isExpert'),
    saysBad: readFlag(row, 'saysBad'),
    shares: row.text(shareColumn('none')) === '' ? null : readShares(row, shareColumn),
    unanswered: readFraction(row, 'unansweredShare'),
  }));
}
