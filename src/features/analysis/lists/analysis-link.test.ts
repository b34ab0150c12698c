import { expect, test } from 'vitest';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import { analysisLink } from './analysis-link';

const place = { surveyId: 'SurveyOfTheTests' as SurveyId, imageId: 'ImageOfTheTests1' as ImageId };
const params = { survey: place.surveyId, id: place.imageId };

test('2§6 labels open in the labelling screen with the version of their record', () => {
  for (const isExpert of [true, false]) {
    expect(analysisLink({ kind: 'labels', version: 2.4, ...place }, isExpert)).toEqual({
      to: '/analysis/ml/$survey/$id/{-$event}',
      params,
      search: { version: 2.4 },
    });
  }
  expect(analysisLink({ kind: 'labels', version: null, ...place }, false)).toMatchObject({ search: {} });
});

test('2§6 percentages open in their form', () => {
  const link = { to: '/analysis/expert/$survey/$id', params };
  for (const version of [3, null]) expect(analysisLink({ kind: 'form', version, ...place }, true)).toEqual(link);
});

test('2§6 a tracing of version 1 goes on as version 1, which is for experts', () => {
  const plain = { to: '/analysis/$survey/$id', params };
  expect(analysisLink({ kind: 'free-draw', version: 1, ...place }, true)).toEqual({
    to: '/analysis/expert-image/$survey/$id',
    params,
    search: { v: 1 },
  });
  expect(analysisLink({ kind: 'free-draw', version: 1, ...place }, false)).toEqual(plain);
  for (const version of [3, null]) expect(analysisLink({ kind: 'free-draw', version, ...place }, true)).toEqual(plain);
});

test('2§2 an analysis of someone else opens view only, percentages in their form', () => {
  const work = { version: 3, ...place, othersId: 'AnalysisOfOthers' as AnalysisId };
  for (const kind of ['labels', 'free-draw'] as const)
    expect(analysisLink({ ...work, kind }, true)).toEqual({
      to: '/analysis/library/$survey/$analysis',
      params: { survey: place.surveyId, analysis: work.othersId },
    });
  expect(analysisLink({ ...work, kind: 'form' }, false)).toEqual({
    to: '/analysis/expert/$survey/$id',
    params,
    search: { of: work.othersId },
  });
});
