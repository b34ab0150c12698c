import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { equalCovers, RESULT } from '../../../../tests/support/results';
import type { DatasetMeta } from '../../../domain/results/region-meta';
import { DatasetCover } from './DatasetCover';

const META: DatasetMeta = {
  id: 'grc6',
  shortName: 'GRC6',
  censusYear: '2025',
  surveys: 1480,
  reefs: 312,
  images: 61_204,
  analysts: 1000,
  resultReefs: 87,
  versions: { skill: 3, pipeline: 1, release: 2 },
  result: {
    covers: equalCovers({ value: 31.2, low: 27.6, high: 35.1 }),
    dominantCoral: RESULT.dominantCoral,
    photographs: 4120,
    analysts: 310,
    surveys: 96,
  },
};
const text = (meta: DatasetMeta | null): string =>
  renderToStaticMarkup(<DatasetCover meta={meta} />)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('3§3 the cover of a dataset has its interval, reefs, photographs, people and versions', () => {
  expect(text(META)).toBe(
    '31% Medium-high, mean of 87 reefs Very certain: 95% likely between 28 and 35%. ' +
      '4,120 photographs by 310 people in 96 surveys. Release 2, skill 3, method 1.',
  );
});

test('3§3 a dataset without a reef with a cover has none', () => {
  const { result: _result, ...earlier } = META;
  for (const meta of [null, { ...META, result: null }, earlier]) expect(text(meta)).toBe('');
});
