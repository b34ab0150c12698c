import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical';
import type { OpId, PersonId, Sha256, SurveyId } from '../ids';
import { draftFirst, sealOp } from '../op/draft';
import { parseOp } from '../op/op';
import { readRecord } from '../record';
import { schemaVersion } from '../records';
import { enteredDateFault, timeOfDay } from './rules';
import type { NewSurvey } from './survey';
import { newSurvey, SURVEY, surveyPosition } from './survey';

const given: NewSurvey = {
  id: 'Survey0000000001' as SurveyId,
  uid: 'Person0000000001' as PersonId,
  name: 'Moore Reef',
  date: '2026-11-20',
  type: 'snorkel',
  location: { id: '16-071', regionId: 'gbr', name: 'Moore Reef', position: { latitude: -16.86, longitude: 146.23 } },
  site: { type: 'lagoon' },
  madeAt: '2026-11-20T00:00:01.000Z',
  visibility: 12,
  experience: { overall: ['Great'], anythingElse: [] },
};

describe('1§3 survey', () => {
  it('1§3 a new survey passes as the body of an operation and round-trips', () => {
    const body = newSurvey(given);
    const op = sealOp(
      draftFirst('survey', body, { madeAt: given.madeAt, schema: schemaVersion('survey') }),
      'DeviceAAAAAAAAAA-1' as OpId,
      '0'.repeat(64) as Sha256,
    );
    expect(parseOp(op).docId).toBe(given.id);
    expect(canonicalJson(JSON.parse(JSON.stringify(body)))).toBe(canonicalJson(body));
    const read = readRecord(SURVEY, body);
    expect(read).toMatchObject({
      status: 'ready',
      record: { ...body, user: { uid: given.uid, org: null }, isDeleted: false },
    });
  });

  it('1§3 a document with missing or invalid fields is still shown', () => {
    expect(readRecord(SURVEY, { id: given.id, name: 'North' })).toMatchObject({
      status: 'ready',
      record: { name: 'North', isDeleted: false },
    });
    expect(readRecord(SURVEY, { id: given.id, type: 'submarine', visibility: 'far', experience: 7 })).toMatchObject({
      status: 'ready',
      record: { type: null, visibility: null, experience: null },
    });
  });

  it('1§3 the position of a survey is its reef’s, else its site’s', () => {
    const at = { latitude: -16, longitude: 145.8 };
    const { position: reef, ...unlisted } = given.location;
    expect(surveyPosition(newSurvey({ ...given, site: { position: at } }))).toEqual(reef);
    expect(surveyPosition(newSurvey({ ...given, location: unlisted, site: { position: at } }))).toEqual(at);
    expect(
      surveyPosition({ loc: { _geoloc: { lat: 95, lng: 0 } }, site: { geoloc: { lat: -16, lng: 145.8 } } }),
    ).toEqual(at);
    expect(surveyPosition({ loc: 'north', site: null })).toBeUndefined();
  });

  it('1§3 unknown fields survive', () => {
    expect(
      readRecord(SURVEY, {
        ...newSurvey(given),
        tide: { height: 2 },
        loc: { ...(newSurvey(given)['loc'] as object), depth: 4 },
      }),
    ).toMatchObject({ status: 'ready', record: { tide: { height: 2 }, loc: { depth: 4 } } });
  });

  it('1§3 unreadable surveys are returned raw with their problems, never dropped', () => {
    expect(readRecord(SURVEY, { id: 7 })).toMatchObject({ status: 'unreadable', raw: { id: 7 } });
    expect(readRecord(SURVEY, null)).toMatchObject({ status: 'unreadable', raw: null });
  });
});

describe('3§5 survey rules', () => {
  it.each([
    ['2020-09-01', undefined],
    ['2020-08-31', 'too-early'],
    ['2016-11-20T03:00:00.000Z', 'too-early'],
    ['2020-09-01T00:00:00+10:00', undefined],
    ['2026-02-30', 'invalid'],
    ['yesterday', 'invalid'],
    ['', 'invalid'],
  ])('3§5 the earliest valid date is 1 September 2020: %s', (date, fault) => {
    expect(enteredDateFault(date, '2026-11-20')).toBe(fault);
  });

  it.each([
    [0, 'early morning'],
    [8.99, 'early morning'],
    [9, 'late morning'],
    [11.5, 'late morning'],
    [12, 'early afternoon'],
    [15, 'late afternoon'],
    [23.99, 'late afternoon'],
    [24, undefined],
    [-1, undefined],
    [NaN, undefined],
  ])('3§9 %d hours is %s', (hour, band) => {
    expect(timeOfDay(hour)).toBe(band);
  });
});
