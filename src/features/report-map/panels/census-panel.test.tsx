import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DatasetMeta } from '../../../domain/results/region-meta';
import type { ReportReef } from '../data/report-data';
import { CensusPanel } from './CensusPanel';

const META: DatasetMeta = {
  id: 'grc6',
  shortName: 'GRC6',
  censusYear: '2025',
  surveys: 1480,
  reefs: 312,
  images: 61_204,
  analysts: 9,
  resultReefs: 87,
  versions: { skill: 3, pipeline: 1, release: null },
};
const REEF: ReportReef = {
  row: 0,
  featureId: 'gbr-a',
  name: 'Moore Reef',
  gid: '16-071',
  surveys: 3,
  images: 120,
  notYetPublic: 0,
  result: null,
};

/** Texts of the panel, in order. */
function shown(reef: ReportReef | null, isResults: boolean): readonly string[] {
  return renderToStaticMarkup(<CensusPanel meta={META} reef={reef} isResults={isResults} />)
    .replaceAll(/<[^>]+>/g, '\n')
    .split('\n')
    .filter((text) => text !== '');
}

test('1§2 the census panel counts surveys, reefs and images', () => {
  expect(shown(null, false)).toEqual(['Surveys', '1,480', 'Reefs', '312', 'Images', '61,204']);
});

test('1§2 in the results view it shows reefs alone, those with a result', () => {
  expect(shown(null, true)).toEqual(['Reefs', '87']);
});

test('1§2 it has the name of the active reef, or "Point"', () => {
  expect(shown(REEF, true).at(-1)).toBe('Moore Reef');
  expect(shown({ ...REEF, name: '' }, true).at(-1)).toBe('Point');
});
