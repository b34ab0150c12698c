import { expect, test } from 'vitest';
import { readStats } from '../../src/domain/analysis/free-draw/expert-form';
import { readFreeDraw } from '../../src/domain/analysis/free-draw/record';
import { readBallot } from '../../src/domain/consensus/read-ballot';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../src/domain/ids';
import { sceneOf } from '../../src/imaging/reef-renderer/habitats';
import { buildReef } from '../../src/imaging/reef-renderer/render-reef';
import { coverOf } from '../../src/imaging/reef-renderer/reef-classes';
import { analysisOf } from './paint-photograph';

const FACTS = {
  id: 'Analysis00000001' as AnalysisId,
  savedAt: '2025-11-05T09:20:10.000Z',
  author: { uid: 'Person0000000001' as PersonId, name: { first: 'A', last: 'B' }, isExpert: false, isVerified: false },
  image: { id: 'Image00000000001' as ImageId, path: null, user: null },
  survey: { id: 'Survey0000000001' as SurveyId, name: 'A reef', regionId: 'gbr' },
};

test('2§3 an analysis of the demo is a record that the app reads, painted all over and about right', () => {
  for (const habitat of ['crest', 'lagoon', 'rubble-field'] as const) {
    const picture = buildReef(sceneOf(habitat, 7, { width: 400, height: 300 }));
    const truth = coverOf(picture.label);
    const body = analysisOf(picture, { ...FACTS, seed: 1 });
    expect(readFreeDraw(body)).toMatchObject({ kind: 'free-draw', version: 3, isForm: false });
    expect(readBallot(body, picture)).toMatchObject({ kind: 'ballot', isExpert: false, ignored: [] });
    const { coverage, categories } = readStats(body)!;
    expect(coverage, habitat).toBe(1);
    const painted = categories
      .filter(({ id, mod }) => /^reef_(hard|soft)coral/.test(id) && mod !== 'dead')
      .reduce((sum, { coverage: share }) => sum + share, 0);
    const coral = truth.B + truth.P + truth.M + truth.H + truth.S + truth.E;
    expect(Math.abs(painted - coral), habitat).toBeLessThan(0.1);
  }
});

test('people of the demo differ, and each paints the same again', () => {
  const picture = buildReef(sceneOf('crest', 7, { width: 400, height: 300 }));
  const of = (seed: number): string => JSON.stringify(analysisOf(picture, { ...FACTS, seed }));
  expect(of(1)).toBe(of(1));
  expect(of(1)).not.toBe(of(2));
});
