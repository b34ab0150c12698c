import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { categoryClass } from '../../../domain/analysis/free-draw/categories';
import { coverOfLabel, coverOfType } from '../../../domain/consensus/cover-classes';
import { ANALYSIS_LIMITS } from '../../../domain/limits/analysis';
import { certaintyOf, COVER_BANDS, coverBand } from '../../../domain/results/bands';
import { KNOWN_MIN } from '../../../domain/results/estimates/photograph-covers';
import { PHOTOGRAPHS_MIN, PIPELINE_VERSION } from '../../../domain/results/reef-result';
import { MethodText } from './MethodText';

const text = renderToStaticMarkup(<MethodText />)
  .replaceAll(/<[^>]+>/g, ' ')
  .replaceAll(/\s+/g, ' ');

test('2§9 the methodology names the numbers of the rules', () => {
  const { analysesPerImage, badAnswersMin, batchImages, controlEvery } = ANALYSIS_LIMITS;
  for (const statement of [
    `until ${analysesPerImage} people have analysed it`,
    `after at least ${badAnswersMin} answers`,
    `one photograph in ${controlEvery} `,
    `batches of ${batchImages.toLocaleString('en-GB')}`,
    `less than ${100 * KNOWN_MIN}% is known`,
    `fewer than ${PHOTOGRAPHS_MIN} photographs`,
    `method (now ${PIPELINE_VERSION})`,
    'very certain up to 10 percentage points, fairly certain up to 20, uncertain up to 40, very uncertain above.',
    'low below 10%, medium from 10 to 30%, medium-high from 30 to 50%, high from 50 to 75%, high from 75%.',
  ])
    expect(text).toContain(statement);
});

test('3§9 limits of bands and certainties belong where the methodology says', () => {
  for (const { from, label } of COVER_BANDS.slice(1)) expect(COVER_BANDS[coverBand(from)]?.label).toBe(label);
  expect([10, 20, 40].map((high) => certaintyOf({ low: 0, high }))).toEqual(['high', 'medium', 'low']);
});

test('2§9 classes count what the methodology says', () => {
  const labels = {
    other: ['softcoral', 'bleached', 'othercoral', 'sandpaper'],
    none: ['sand', 'structure', 'branching_dead', 'massive_dead'],
    rubble: ['rubble'],
    unknown: ['background', 'unknown'],
    massive: ['massive', 'lobe'],
  };
  for (const [cover, ids] of Object.entries(labels))
    expect(ids.map((id) => coverOfLabel(id))).toEqual(ids.map(() => cover));
  const painted = {
    unknown: ['background_water', 'wildlife_fish', 'wildlife_person', 'background_object'],
    none: ['reef_structure_algae', 'background_substrate'],
    other: ['reef_softcoral'],
  };
  for (const [cover, ids] of Object.entries(painted))
    expect(ids.map((id) => coverOfType(categoryClass(id)!))).toEqual(ids.map(() => cover));
  expect(coverOfType(categoryClass('reef_hardcoral_branching', 'bleached')!)).toBe('branching');
  expect(coverOfType(categoryClass('reef_hardcoral_branching', 'dead')!)).toBe('none');
});
