import { expect, test } from 'vitest';
import type { EdgeSurvey, ReportRead, ReportSurvey } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { REGIONS } from '../../../domain/region/regions';
import { daysOf, joinSurveys, notYetPublicOf } from './vessel';

const survey = (id: string, date: string | null, isAboardOnly = false): ReportSurvey => ({
  id,
  name: '',
  date,
  time: null,
  type: null,
  duration: null,
  camera: null,
  siteName: null,
  position: null,
  images: null,
  experience: {},
  isAboardOnly,
});
type Surveys = ReportRead<readonly ReportSurvey[]>;
const ready = (...value: readonly ReportSurvey[]): Surveys => ({ status: 'ready', value, asOf: 1 });
const away = (value: readonly ReportSurvey[] | null): Surveys => ({
  status: 'stored',
  value,
  asOf: value === null ? null : 1,
  isAboard: true,
});
const always = (): boolean => true;
const shown = ({ value }: Surveys) => value?.map(({ id, isAboardOnly }) => (isAboardOnly ? `${id}*` : id));

test('1§4 a survey aboard is part of the dataset of its census year, and one after the last of the latest', () => {
  const last = daysOf({ censusYear: '2025', isLatest: true }, REGIONS.gbr);
  const before = daysOf({ censusYear: '2024', isLatest: false }, REGIONS.gbr);
  for (const [day, isLast, isBefore] of [
    ['2026-02-03', true, false],
    ['2025-02-03', false, true],
    ['2026-11-28', true, false],
    ['', true, false],
    ['2026-02-31', true, false],
    [null, true, false],
  ] as const)
    expect([last(day), before(day)], String(day)).toEqual([isLast, isBefore]);
  expect(daysOf({ censusYear: 'All', isLatest: false }, REGIONS.gbr)('2019-05-01')).toBe(true);
});

test('1§3 surveys aboard that are not yet public are counted by reef, without private ones', () => {
  const at = (id: string, more: Partial<EdgeSurvey> = {}): EdgeSurvey => ({
    id,
    name: '',
    date: '2026-02-03',
    loc: { id: 'gbr-a' },
    user: null,
    images: { total: 0, here: 0, ashore: 0 },
    isNotYetPublic: true,
    ...more,
  });
  const surveys = [
    at('1'),
    at('2'),
    at('3', { isNotYetPublic: false }),
    at('4', { private: true }),
    at('5', { loc: 7 }),
  ];
  expect([...notYetPublicOf(surveys, always)]).toEqual([['gbr-a', 2]]);
  expect(notYetPublicOf(surveys, () => false).size).toBe(0);
});

test('1§3, 3§7 surveys of shore and vessel are one list, newest first, each once', () => {
  const vessel = ready(survey('a', '2026-02-03', true), survey('b', '2025-11-20'), survey('c', '2025-10-01'));
  expect(shown(joinSurveys(ready(survey('b', '2025-11-20')), vessel, always)), 'the shore hides c').toEqual([
    'a*',
    'b',
  ]);
  expect(shown(joinSurveys(away(null), vessel, always))).toEqual(['a*', 'b', 'c']);
  expect(shown(joinSurveys(away([survey('d', '2025-12-01')]), vessel, (day) => day !== '2025-10-01'))).toEqual([
    'a*',
    'd',
    'b',
  ]);
});

test('3§6 a tablet that is not paired keeps what it has of the shore, and is told so', () => {
  const error = new ReefError('unauthorised', { field: 'pairing' });
  const refused: Surveys = { status: 'error', value: [], asOf: null, error };
  expect(joinSurveys(away([survey('d', null)]), refused, always)).toMatchObject({ status: 'error', error, asOf: 1 });
  expect(joinSurveys(away(null), refused, always)).toMatchObject({ status: 'error', value: null });
  expect(joinSurveys(ready(survey('d', null)), refused, always)).toMatchObject({ status: 'ready' });
});
