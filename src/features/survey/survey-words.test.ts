import { expect, test } from 'vitest';
import type { SurveyView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { logOf } from '../../domain/survey/log';
import { conflictQuestion, fieldLabel, formatFieldValue } from './conflicts/conflict-text';
import { filterSurveys, findSurveys, type SurveyFilter } from './list/find-surveys';
import { logSummary } from './log/SurveyLog';

const survey = (name: string, date: string, gid: string | null = null): SurveyView => ({
  id: name as SurveyId,
  name,
  place: name,
  gid,
  date,
  regionId: 'gbr',
  person: null,
  images: { total: 0 },
  custody: { status: 'tablet' },
  conflicts: 0,
  createdAt: '',
  updatedAt: '',
  doc: {},
});

test('surveys are found by reef, number and day, with or without accents, in order', () => {
  const all = [
    survey('Moore Reef 16-071', '2026-11-20', '16-071'),
    survey('Île d’Éclair', '2026-11-19'),
    survey('Little Moore', '2025-01-02'),
  ];
  const find = (query: string) => findSurveys(all, query).map(({ name }) => name);
  expect(find('')).toHaveLength(3);
  expect(find('moore')).toEqual(['Moore Reef 16-071', 'Little Moore']);
  expect(find('eclair')).toEqual(['Île d’Éclair']);
  expect(find('16-071')).toEqual(['Moore Reef 16-071']);
  expect(find('20 nov 2026')).toEqual(['Moore Reef 16-071']);
  expect(find('2025-01-02')).toEqual(['Little Moore']);
  expect(find('heron')).toEqual([]);
});

test('1§4 the list shows the surveys of one person, or those not sent yet', () => {
  const survey = (id: string, person: string | null, status: string) =>
    ({ id, person, custody: { status } }) as unknown as SurveyView;
  const all = [survey('a', 'me', 'box'), survey('b', 'other', 'tablet'), survey('c', null, 'shore')];
  const facts = { me: 'me', custody: new Map([['c', { total: 5, box: 2, shore: 4 }]]) };
  const ids = (filter: SurveyFilter) => filterSurveys(all, filter, facts).map(({ id }) => id);
  expect(ids('all')).toEqual(['a', 'b', 'c']);
  expect(ids('mine')).toEqual(['a']);
  // The last one has a photograph that is on this tablet alone.
  expect(ids('unsent')).toEqual(['b', 'c']);
});

test('protocol: fold — a conflict asks which answer is right', () => {
  expect(conflictQuestion({ field: 'duration', others: [1] })).toBe('Two answers for duration. Which is right?');
  expect(conflictQuestion({ field: 'timeIn', others: [1, 2] })).toBe('Three answers for time in. Which is right?');
});

test('protocol: fold — conflicting values are formatted as text', () => {
  const told = (field: string, value: Parameters<typeof formatFieldValue>[1]) =>
    `${fieldLabel(field)}: ${formatFieldValue(field, value)}`;
  expect([
    told('duration', 45),
    told('visibility', 12.5),
    told('date', '2026-11-20'),
    told('loc', { id: '1', gid: '16-071', name: 'Moore Reef', regionId: 'gbr' }),
    told('site', { name: 'Site 3', type: 'Front reef', geoloc: { latitude: -16.5, longitude: 146 } }),
    told('experience', { coral: ['10 to 30%'], water: ['Clear'] }),
    told('camera', null),
    told('isDeleted', true),
    told('type', 'scuba'),
    told('name', { first: 'Mara', last: 'Lind' }),
    told('position', { latitude: -16.5, longitude: 146, source: 'person' }),
    told('cameraClocks', [
      { camera: 'TG-6', offsetMs: -new Date().getTimezoneOffset() * -60_000 + 222_000, how: 'hand', at: '' },
    ]),
    told('optin', false),
    told('ofANewerApp', { a: 1, tideTable: ['in', 'out'], b: {} }),
    told('*', {}),
  ]).toEqual([
    'Duration: 45 min',
    'Visibility: 12.5 m',
    'Date: Fri 20 Nov 2026',
    'Reef or place: Moore Reef 16-071',
    'Site: Site 3, Front reef, 16° 30.000′ S, 146° 00.000′ E',
    'Survey experience: Clear; 10 to 30%',
    'Camera: nothing',
    'Deletion: deleted',
    'Survey type: Scuba',
    'Name: Mara Lind',
    'Where it was taken: 16° 30.000′ S, 146° 00.000′ E',
    'Camera clock: TG-6 3 min 42 s slow',
    'Email consent: no',
    'Of ANewer App: a 1, tide table in, out, b nothing',
    'Whole record: nothing',
  ]);
});

test('the log’s summary shows what is entered and what is missing', () => {
  expect(logSummary(logOf({ type: 'scuba', duration: 45, visibility: 15, camera: 'TG-6', timeIn: '09:40' }))).toEqual([
    'Scuba, 45 min, 15 m visibility',
    'TG-6',
  ]);
  expect(logSummary(logOf({}))).toEqual([
    'The log is empty',
    'Still to enter: type, time in, duration, visibility, camera',
  ]);
});
