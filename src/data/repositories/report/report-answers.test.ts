import { expect, test } from 'vitest';
import { ManualClock, nodeHost } from '../../../../tests/support/tablet/tablet-host';
import { ObservableValue } from '../../../base/observable';
import { ReefError } from '../../../domain/errors';
import { decodeRubble } from './decode-rubble';
import { parseItems, queryCloud } from './report-answers';
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

/** Cloud with a list of items, behind a link that needs `msAnItem`; pages as asked for, and requests that timed out. */
function listScene(count: number, { msAnItem = 1, text = '' } = {}) {
  const clock = new ManualClock();
  const pages: string[] = [];
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    const search = new URL(String(url)).searchParams;
    const [after, limit] = [Number(search.get('after') ?? 0), Number(search.get('limit'))];
    const end = Math.min(count, after + limit);
    pages.push(`${after}+${limit}`);
    await clock.advance(msAnItem * (end - after));
    const items = Array.from({ length: end - after }, (_, n) => ({ id: `item${after + n}`, text }));
    return Response.json({ ok: true, items, next: end < count ? String(end) : null });
  };
  const host = { ...nodeHost(), timers: clock, clock, fetch };
  const parts = {
    store: { host, run: (ask: () => unknown) => ask(), db: { accounts: { toArray: async () => [] } } },
    connectivity: { facts: new ObservableValue({ answering: 'www', offlineByChoice: false, browserOnline: true }) },
    opIndex: { clouds: [{ nodeId: 'cloud', origin: 'https://cloud.example', credential: 'credential' }] },
    person: new ObservableValue(null),
  };
  const ids = async (): Promise<readonly unknown[] | null> => {
    const answer = await queryCloud(parts as never, 'surveys-of-location', { featureId: 'moore' });
    return answer === null ? null : (JSON.parse(answer.text) as { id: string }[]).map(({ id }) => id);
  };
  const all = Array.from({ length: count }, (_, n) => `item${n}`);
  return { ids, all, pages };
}

test('1§7 pages of a list grow from 20 to 500 items while they arrive quickly', async () => {
  const { ids, all, pages } = listScene(1300);
  expect(await ids()).toEqual(all);
  expect(pages).toEqual(['0+20', '20+100', '120+500', '620+500', '1120+500']);
});

test('1§7 over a slow link pages stay as large as they arrive in time, and a list is complete', async () => {
  const slow = listScene(65, { msAnItem: 300 });
  expect(await slow.ids()).toEqual(slow.all);
  expect(slow.pages).toEqual(['0+20', '20+20', '40+20', '60+20']);
  const slower = listScene(35, { msAnItem: 900 });
  expect(await slower.ids()).toEqual(slower.all);
  expect(slower.pages, 'the same page again, with fewer items').toEqual(['0+20', '0+10', '10+10', '20+10', '30+10']);
});

test('1§7 a page of ten that does not arrive in time ends the request, without a part of the list', async () => {
  const { ids, pages } = listScene(35, { msAnItem: 2000 });
  expect(await ids()).toBeNull();
  expect(pages).toEqual(['0+20', '0+10']);
});

test('1§7 a page of several MiB is read', async () => {
  const { ids, all } = listScene(20, { text: 'x'.repeat(200_000) });
  expect(await ids()).toEqual(all);
});

test('3§2 rubble sites are read by their number, and lines that are not valid are left out', () => {
  const text = [
    'n,longitude,latitude,photographs,probability,source,low,high,analysts,skillVersion,pipelineVersion',
    '1,146.2,-16.9,12,73.5,census,50.1,89,4,7,1',
    'x,1,2,3',
    '0,146.1,-16.8,3,40,imported,,,,,',
    '2,146.3,-16.8,5,60,census,,,,,',
    '3,146.4,-16.8,6,60,other,50,70,1,1,1',
  ].join('\n');
  expect(decodeRubble(text)).toEqual({
    longitudes: [146.1, 146.2, 146.3, 146.4],
    latitudes: [-16.8, -16.9, -16.8, -16.8],
    photographs: [3, 12, 5, 6],
    probabilities: [40, 73.5, 60, 60],
    sources: [null, { low: 50.1, high: 89, analysts: 4, skill: 7, pipeline: 1 }, undefined, undefined],
  });
  const before = 'n,longitude,latitude,photographs,probability\n0,146.1,-16.8,3,40\n';
  expect(decodeRubble(before), 'nothing is known of an older file').toMatchObject({ probabilities: [40], sources: [] });
  expect(() => decodeRubble('<html>')).toThrow(ReefError);
});
