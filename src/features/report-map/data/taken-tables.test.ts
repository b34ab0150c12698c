import { expect, test } from 'vitest';
import type { ReportRepository } from '../../../data/repositories';
import { takenTables } from './taken-tables';

const named = (name: string) => () => name as never;
const report = {
  meta: named('meta'),
  table: named('table'),
  results: named('results'),
  rubble: named('rubble'),
} satisfies Pick<ReportRepository, 'meta' | 'table' | 'results' | 'rubble'>;

test('3§7 a map of a region without rubble is taken along without its rubble sites, which are no file', () => {
  expect(takenTables(report, 'gbr', { withoutData: [] })).toEqual(['meta', 'table', 'results', 'rubble']);
  expect(takenTables(report, 'gbr', { withoutData: ['rubbleProbability'] })).toEqual(['meta', 'table', 'results']);
});
