import { expect, test } from 'vitest';
import { MOORE_COVERS, MOORE_RESULT } from '../../../../tests/support/results';
import { COVER_BANDS } from '../../../domain/results/bands';
import type { ReefResult } from '../../../domain/results/reef-result';
import {
  bandOf,
  bandRange,
  bandText,
  basisText,
  certaintyText,
  coverText,
  dominantText,
  lastSurveyedText,
  percentText,
  pieShares,
  rangeText,
  resultText,
  versionText,
} from './cover-text';

const RESULT: ReefResult = {
  ...MOORE_RESULT,
  covers: { ...MOORE_COVERS, totalCoralCover: { value: 34, low: 28, high: 41 } },
  versions: { ...MOORE_RESULT.versions, release: null },
};

test('3§9 a legend has the range of each cover band, and both upper bands say High', () => {
  expect(COVER_BANDS.map((band) => `${band.label}, ${bandRange(band)}`)).toEqual([
    'Low, under 10%',
    'Medium, 10 to 30%',
    'Medium-high, 30 to 50%',
    'High, 50 to 75%',
    'High, over 75%',
  ]);
});

test('3§2 a reef shows its cover, dominant coral and last survey, or Not available', () => {
  expect([bandText(RESULT), dominantText(RESULT), lastSurveyedText(RESULT)]).toEqual([
    'Medium-high',
    'Plating',
    'Thu 20 Nov 2025',
  ]);
  const none: ReefResult = { ...RESULT, covers: null, dominantCoral: null, lastSurveyed: null, photographs: 3 };
  expect([bandText(none), bandText(null), dominantText(none), lastSurveyedText(none), resultText(none)]).toEqual([
    'Not available',
    'Not available',
    'Not available',
    'Not available',
    '2 more analysed photographs are needed for a cover',
  ]);
});

test('3§2 a reef of bad photographs only says so', () => {
  const bad: ReefResult = { ...RESULT, covers: null, dominantCoral: null, photographs: 0, analysts: 0, surveys: 0 };
  expect([resultText(bad), basisText(bad)]).toEqual([
    'No photograph of it counts yet: none is analysed, or those that are are bad or show too little',
    'No photograph that counts',
  ]);
});

test('3§9 the share without coral is 100 minus the total, with its interval turned around', () => {
  const shares = pieShares(RESULT.covers!);
  expect(shares.map(({ name }) => name)).toEqual(['Branching', 'Plating', 'Massive', 'Other coral', 'No coral']);
  expect(shares.at(-1)?.estimate).toEqual({ value: 66, low: 59, high: 72 });
});

test('3§2 a figure says how sure it is, what it rests on and which versions made it', () => {
  expect([
    certaintyText({ value: 34, low: 30, high: 38 }),
    certaintyText({ value: 34, low: 28, high: 41 }),
    certaintyText({ value: 34, low: 10, high: 60 }),
    basisText({ ...RESULT, surveys: 1, analysts: 1 }),
    versionText(RESULT),
    versionText({ ...RESULT, versions: { skill: 3, pipeline: 1, release: 2 } }),
    rangeText({ low: 2.2, high: 2.4 }),
    percentText(0.2),
    percentText(0),
  ]).toEqual([
    'Very certain: 95% likely between 30 and 38%',
    'Fairly certain: 95% likely between 28 and 41%',
    'Very uncertain: 95% likely between 10 and 60%',
    '214 photographs by 1 person in 1 survey',
    'Preliminary, skill 3, method 1',
    'Release 2, skill 3, method 1',
    '2%',
    'under 1%',
    '0%',
  ]);
});

test('3§9 a figure is of the band beside it', () => {
  for (const [cover, text, band] of [
    [9.6, '9.6%', 'Low'],
    [10, '10%', 'Medium'],
    [29.94, '29.9%', 'Medium'],
    [34.4, '34%', 'Medium-high'],
    [0.4, 'under 1%', 'Low'],
    [100, '100%', 'High'],
  ] as const)
    expect([coverText(cover), bandOf(cover)]).toEqual([text, band]);
});
