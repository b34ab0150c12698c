import { expect, test } from 'vitest';
import { ReefError } from '../../../domain/errors';
import { decodeRubble } from './decode-rubble';
import { parseItems } from './report-answers';
import { parseReportImage, parseReportSurvey } from './report-surveys';

test('3§3 a survey has the facts of its record, without members of the wrong type', () => {
  const survey = parseReportSurvey({
    id: 'AbCdEf012345',
    name: 'North wall',
    date: '2025-11-20',
    timeIn: '10:40',
    type: 'scuba',
    loc: { id: '16071', name: 'Moore Reef', _geoloc: { latitude: -16.87, longitude: 146.21 } },
    duration: 42,
    camera: '',
    experience: { overall: ['Good'], coral: 'x' },
    meta: { images: { total: 40 } },
  });
  expect(survey).toMatchObject({
    name: 'North wall',
    time: '10:40',
    type: 'scuba',
    siteName: 'Moore Reef',
    position: { latitude: -16.87, longitude: 146.21 },
    duration: 42,
    camera: null,
    images: 40,
    experience: { overall: 'Good' },
    isAboardOnly: false,
  });
  const odd = parseReportSurvey({
    id: 'a',
    type: 'submarine',
    duration: -1,
    loc: 7,
    images: { total: 3 },
    isNotYetPublic: true,
  });
  expect(odd).toMatchObject({ name: '', type: null, duration: null, position: null, images: 3, isAboardOnly: true });
  for (const value of [null, 7, 'x', [], {}, { id: 7 }]) expect(parseReportSurvey(value)).toBeNull();
});

test('2§7 a photograph of an answer has an address only if token and name are plain', () => {
  const image = { id: 'a', survey: { id: 'b' }, meta: { camera: { make: 'OLYMPUS', model: 'TG-6' } } };
  expect(parseReportImage({ ...image, token: 'abc-1', url: 'a.webp' })).toMatchObject({
    surveyId: 'b',
    camera: 'OLYMPUS TG-6',
    path: 'abc-1/a.webp',
  });
  expect(parseReportImage({ ...image, token: '../x', url: 'a.webp' })?.path).toBeNull();
  expect(parseReportImage({ id: 'a', meta: { camera: { make: 'Canon', model: 'Canon G7' } } })?.camera).toBe(
    'Canon G7',
  );
});

test('1§7, 3§8 a list with invalid items yields the others, and no list is an error', () => {
  expect(parseItems('[{"id":"a"},7,{}]', parseReportImage).map(({ id }) => id)).toEqual(['a']);
  expect(parseItems('{"items":[{"id":"a"}]}', parseReportImage)).toHaveLength(1);
  for (const text of ['', '{}', '7', '<html>']) expect(() => parseItems(text, parseReportImage)).toThrow(ReefError);
});

test('3§2 rubble sites are read by their number, and lines that are not valid are left out', () => {
  const text =
    'n,longitude,latitude,photographs,probability,low,high,analysts,skillVersion,pipelineVersion\n1,146.2,-16.9,12,73.5,50.1,89,4,7,1\nx,1,2,3\n0,146.1,-16.8,3,40,,,,,\n';
  expect(decodeRubble(text)).toEqual({
    longitudes: [146.1, 146.2],
    latitudes: [-16.8, -16.9],
    photographs: [3, 12],
    probabilities: [40, 73.5],
    sources: [undefined, { low: 50.1, high: 89, analysts: 4, skill: 7, pipeline: 1 }],
  });
  const before = 'n,longitude,latitude,photographs,probability\n0,146.1,-16.8,3,40\n';
  expect(decodeRubble(before)).toMatchObject({ probabilities: [40], sources: [] });
  expect(() => decodeRubble('<html>')).toThrow(ReefError);
});
