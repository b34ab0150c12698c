import { expect, test } from 'vitest';
import type { PhotographStatus, PhotographView, SurveyView } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { lightsText, photographLines, printedVerdict, sheetSections, shortHash } from './sheet-text';

const SHA = '3fa9c01b22deaa07'.padEnd(64, '5');
const survey = (doc: object): SurveyView =>
  ({ name: 'Milln Reef', place: 'Milln Reef', person: 'mara', doc }) as unknown as SurveyView;
const photograph = (more: object = {}): PhotographView =>
  ({
    name: 'P1.JPG',
    sha256: SHA,
    camera: { make: 'OM', model: 'TG-6' },
    taken: { camera: null, utc: null },
    position: null,
    doc: { user: { uid: 'mara000000000001' } },
    ...more,
  }) as unknown as PhotographView;
const status = (more: Partial<PhotographStatus>): PhotographStatus =>
  ({
    place: 'tablet',
    isOnTablet: true,
    isFreed: false,
    box: null,
    shore: null,
    lostBy: null,
    reason: null,
    isEditOwed: false,
    ...more,
  }) as PhotographStatus;
const AT = '2026-11-20T09:40:00.000Z';

test('3§3 a printed survey has every field of its log by section, also those that were not entered', () => {
  const doc = {
    date: '2026-11-20',
    timeIn: '09:40',
    type: 'scuba',
    duration: 45,
    loc: { name: 'Milln Reef' },
    site: { name: 'Site 3', geoloc: { latitude: -16.865, longitude: 146.2233 } },
    experience: { overall: ['Good'] },
  };
  const sections = sheetSections(
    survey(doc),
    [photograph(), photograph({ doc: { user: { uid: 'someone000000001' } }, camera: null })],
    'Great Barrier Reef',
    (uid) => (uid?.startsWith('mara') === true ? 'Mara Lind' : ''),
  );
  expect(sections.map(({ title }) => title)).toEqual(['Place', 'Dive', 'People and cameras', 'Survey experience']);
  const fields = Object.fromEntries(
    sections.flatMap(({ fields: all }) => all.map(({ label, value }) => [label, value])),
  );
  expect(fields).toMatchObject({
    'Reef or place': 'Milln Reef',
    Site: 'Site 3',
    Position: '16° 51.900′ S, 146° 13.398′ E (-16.86500, 146.22330)',
    Date: 'Fri 20 Nov 2026',
    'Survey type': 'Scuba',
    Duration: '45 min',
    Visibility: '',
    'Started by': 'Mara Lind',
    'Photographs by': 'Mara Lind, 1 person without a name here',
    'Cameras in the files': 'OM TG-6',
    'How did this reef look overall?': 'Good',
    'Was coral bleached?': '',
  });
});

test('3§3 without an entry point the position of the reef is printed, and said to be the reef’s', () => {
  const doc = { loc: { name: 'Milln Reef', _geoloc: { latitude: -16.5, longitude: 146 } } };
  const [place] = sheetSections(survey(doc), [], '', () => '');
  expect(place?.fields.find(({ label }) => label === 'Position')?.value).toBe(
    '16° 30.000′ S, 146° 00.000′ E (-16.50000, 146.00000), of the reef',
  );
});

test('protocol: the lights are printed in words, each with the time of its receipt', () => {
  expect(lightsText(status({}))).toBe('Tablet: yes. Box: no. Shore: no.');
  const aboard = { box: { name: 'Reef Box', storedAt: AT } };
  expect(lightsText(status({ place: 'box', ...aboard }))).toMatch(
    /^Tablet: yes\. Box: Reef Box, 20 Nov 2026, \d\d:40:00\. Shore: no\.$/u,
  );
  expect(
    lightsText(status({ place: 'shore', isOnTablet: false, isFreed: true, ...aboard, shore: { storedAt: AT } })),
  ).toMatch(/^Tablet: freed, preview only\. Box: Reef Box, .*\. Shore: 20 Nov 2026, /u);
  const held = lightsText(status({ place: 'held', reason: new ReefError('timeout').toWire() }));
  expect(held).toContain('Shore: no. On hold: ');
});

test('3§3 paper calls a card safe only with the time at which it was, and names what is missing', () => {
  const safe = printedVerdict({ kind: 'safe', total: 60, at: AT, boxName: 'Reef Box', onTablet: 60 }, 'box', AT);
  expect(safe.title).toMatch(/^Safe to wipe the card as of 20 Nov 2026, /u);
  const last = { at: AT, boxName: 'Reef Box' };
  expect(printedVerdict({ kind: 'check-later', total: 60, last }, 'box', AT).title).toMatch(
    /^Safe as of 20 Nov 2026, .*, asked of Reef Box$/u,
  );
  const unsure = [
    printedVerdict({ kind: 'check-now', total: 60, last: null }, 'box', AT),
    printedVerdict({ kind: 'keep', total: 60, onBox: 57, blockers: [{ kind: 'no-receipt', count: 3 }] }, 'box', AT),
  ];
  for (const { title } of unsure) expect(title).toMatch(/^Do not wipe the card: as of 20 Nov 2026, /u);
  expect(unsure[1]?.blockers).toEqual([
    '3 photographs without a receipt from the box. They have only one copy besides the card.',
  ]);
  expect(printedVerdict(undefined, 'box', AT).title).toBe('No card was read on this tablet');
});

test('3§3 image: a printed photograph has its time, its position and the start of its hash', () => {
  expect(shortHash(SHA)).toBe('3fa9 c01b 22de aa07…');
  expect(photographLines(photograph(), 'Ben Roe')).toEqual([
    'No time in the file',
    'By Ben Roe',
    'SHA-256 3fa9 c01b 22de aa07…',
  ]);
  const position = { latitude: -16.5, longitude: 146, source: 'dive' };
  expect(
    photographLines(photograph({ taken: { camera: '2026-11-20T09:36:18', utc: null }, position }), '').slice(0, 2),
  ).toEqual(['Camera’s clock 20 Nov 2026, 09:36:18', '16° 30.000′ S, 146° 00.000′ E, where the dive was']);
});
