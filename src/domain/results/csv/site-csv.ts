import { readCsv } from '../../csv/csv-reader';
import { writeCsv } from '../../csv/csv-writer';
import type { RubbleSite } from '../estimates/rubble';
import type { FeatureTable } from '../feature-table';

/** Reefs with public surveys in a dataset as CSV (3§7 "surveyed reefs CSV per region and dataset"), by feature id. */
export function surveyedReefsCsv(table: FeatureTable, datasetId: string): string {
  const rows = (table.surveyed[datasetId] ?? []).map(
    ([row, surveys, images]) =>
      [table.ids[row] ?? '', table.gids[row] ?? '', table.names[row] ?? '', surveys, images] as const,
  );
  return writeCsv([
    ['reefId', 'gid', 'reefName', 'surveys', 'images'],
    ...rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  ]);
}

/** Row of a surveyed-reefs table. */
export interface SurveyedReef {
  readonly featureId: string;
  readonly gid: string;
  readonly name: string;
  readonly surveys: number;
  readonly images: number;
}

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true } as const;

/** @throws ReefError `bad-message` with `{line, column}` */
export function readSurveyedReefsCsv(text: string): readonly SurveyedReef[] {
  return readCsv(text, ['reefId', 'surveys', 'images']).map((row) => ({
    featureId: row.text('reefId'),
    gid: row.text('gid'),
    name: row.text('reefName'),
    surveys: row.number('surveys', COUNT) ?? 0,
    images: row.number('images', COUNT) ?? 0,
  }));
}

/** Rubble by site as CSV; mean probability in percent. */
export function rubbleCsv(sites: readonly RubbleSite[]): string {
  return writeCsv([
    ['n', 'longitude', 'latitude', 'photographs', 'meanProbability'],
    ...[...sites]
      .sort((a, b) => a.n - b.n)
      .map(({ n, longitude, latitude, photographs, probability }) => [
        n,
        longitude,
        latitude,
        photographs,
        probability,
      ]),
  ]);
}

/**
 * Sites of a rubble table.
 *
 * @throws ReefError `bad-message` with `{line, column}`: a probability of 101%, a position off the earth, an empty cell
 */
export function readRubbleCsv(text: string): readonly RubbleSite[] {
  const columns = ['n', 'longitude', 'latitude', 'photographs', 'meanProbability'] as const;
  return readCsv(text, columns).map((row) => {
    const needed = (
      column: (typeof columns)[number],
      range: { min: number; max: number; isWhole?: boolean },
    ): number => {
      const value = row.number(column, range);
      if (value === null) throw row.refuse(column, 'is empty.');
      return value;
    };
    return {
      n: needed('n', COUNT),
      longitude: needed('longitude', { min: -180, max: 180 }),
      latitude: needed('latitude', { min: -90, max: 90 }),
      photographs: needed('photographs', COUNT),
      probability: needed('meanProbability', { min: 0, max: 100 }),
    };
  });
}
