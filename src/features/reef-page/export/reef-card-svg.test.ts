import { expect, test } from 'vitest';
import { MOORE_RESULT } from '../../../../tests/support/results';
import type { ReefResult } from '../../../domain/results/reef-result';
import { reefCardSvg } from './reef-card-svg';

const COLOURS = { of: () => ({ fill: '#123456', on: '#fff' }), ground: '#fff', text: '#000' };
const card = (result: ReefResult, reef = 'Moore Reef'): string =>
  reefCardSvg({ reef, dataset: 'GRC6', result, asOf: 'As of Thu 19 Nov, 14:05' }, COLOURS);

test('3§2 the saved card has each share with its interval, what it rests on and versions', () => {
  const svg = card(MOORE_RESULT);
  for (const text of [
    '13% (10 to 16%)',
    'No coral',
    'Very certain: 95% likely between 31 and 37%',
    '214 photographs by 87 people in 7 surveys',
    'Release 2, skill 3, method 1',
    'As of Thu 19 Nov, 14:05',
  ])
    expect(svg).toContain(text);
  expect(svg.match(/<path/g)).toHaveLength(5);
  expect(svg).toContain('>34%<');
  // Each class has its letter in the list too.
  for (const letter of ['B', 'P', 'M', 'H']) expect(svg).toMatch(new RegExp(`x="447.0"[^>]*>${letter}<`));
});

test('a card without a cover says so, and a name cannot add markup', () => {
  const svg = card({ ...MOORE_RESULT, covers: null, dominantCoral: null, photographs: 3 }, 'A <b> & reef');
  expect(svg).toContain('2 more analysed photographs are needed for a cover');
  expect(svg).toContain('A &lt;b&gt; &amp; reef');
  expect(svg).not.toContain('<path');
});
