import { expect, it } from 'vitest';
import { seeded } from '../../tests/support/seed';
import { reportTitle, scrubReport, scrubText } from './error-report';
import { makeId } from './ids';

it.each([
  ['email', 'mara.lind+reef@example.org is unknown', '{email} is unknown'],
  ['encoded email', '{"error":"mara%40example.org"}', '{"error":"{email}"}'],
  ['file name', 'TypeError: IMG_0001.JPG is bad', 'TypeError: {file} is bad'],
  ['file name with spaces', '{"name":"Mara and Jo, dive 3.heic"}', '{"name":"{file}"}'],
  ['file name of a copy', 'IMG_0001 (1).JPG is bad', '{file} is bad'],
  ['file name of a copy in a record', '{"name":"Mara and Jo (2).heic"}', '{"name":"{file}"}'],
  ['file name with an apostrophe', "Mara's dive.jpg, Mara’s dive.LRV", '{file}{file}'],
  ['path', 'C:\\Users\\mara\\reef 1.png', 'C:\\Users\\mara\\{file}'],
  ['query and hash', 'GET https://reef.example/a/b?code=12&x=y#turn=abc failed', 'GET https://reef.example/a/b failed'],
  ['query of a path', "'/sign-in?email=a'", "'/sign-in'"],
  ['lone query', 'location ?turn=ABCD&x=1 and #turn=ABCD', 'location  and '],
  ['socket ticket', 'wss://box.lan:4100/edge/socket?ticket=abc', 'wss://box.lan:4100/edge/socket'],
  ['JSON web token', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJ1aWQiOiJ4In0.s5Zz_9-abcDEF0123', 'Bearer {id}'],
  ['hash', `blob ${'0123456789abcdef'.repeat(4)} missing`, 'blob {id} missing'],
  ['base64 key', 'key MCowBQYDK2VwAyEA1234567890abcdef=', 'key {id}'],
  ['token of letters alone', 'Authorization: Bearer abcdefghijkl', 'Authorization: Bearer {id}'],
  ['named token', '{"sessionToken":"abcdefghijkl","n":1}', '{"sessionToken":"{id}","n":1}'],
  ['password', 'password=seaweed', 'password={id}'],
  ['id of letters alone', 'survey kQzRtWmPxBvNcLdJ is gone', 'survey {id} is gone'],
  ['id of letters alone with long runs of one case', 'survey ETnywbbCGKYwgmfR is gone', 'survey {id} is gone'],
  ['id of letters alone in a key', 'analysis_ETnywbbCGKYwgmfR-draft', '{id}'],
  ['id in an address', 'at /surveys/abc123DEF456', 'at /surveys/{id}'],
  ['id in an address, of letters like a name', 'at /surveys/OnseTareaLinover/roll', 'at /surveys/{id}/roll'],
  ['id in an address, of small letters', '/surveys/onsetarealinover', '/surveys/{id}'],
  ['id at the end of an address, of letters like a name', '/surveys/onseTareaLinover.', '/surveys/{id}.'],
  ['login code', 'code 123456 is wrong', 'code {code} is wrong'],
])('3§7 a report does not contain an %s', (_what, text, scrubbed) => {
  expect(scrubText(text)).toBe(scrubbed);
  expect(scrubText(scrubbed), 'by the next node').toBe(scrubbed);
});

it.each([
  'at open (https://reef.example/assets/open-repositories-DkX8s9aB.js:1:234567)',
  'at Sender.#post (https://reef.example/assets/index-B1c2d3e4f5g6h7.js:10:123456)',
  'InvalidStateError: A mutation operation was attempted on a database that did not allow mutations.',
  'QuotaExceededError: TransactionInactiveError in XMLHttpRequestEventTarget of createHandlerBoundToURL',
  'Error: the token is missing\n    at f (https://reef.example/assets/index.js:1:2)',
  'RangeError: 12345 of 99999 rows, 3.5 % and/or none',
  'TypeError: useLabelScreenState of reconnectAtOnceAfterDrop, IDBFactoryRequest',
  'at linearRampToValueAtTime of AnalysisStepsSurveyIdStepRoute, isDeletedByTheBook, webkitGetAsEntry',
  'POST https://reef.example/functions/sendauthenticationlink failed',
  'at reconnectAtOnceAfterDrop (https://reef.example/src/features/openRepositoriesOfTablet.ts:1:2)',
  'a word without capitals: internationalization, incomprehensibility',
])('3§7 a report keeps the place and text of an error: %s', (text) => {
  expect(scrubText(text)).toBe(text);
});

it.each([
  'a1',
  '=',
  '.',
  '/',
  'a1bbbbbbbbbbbbb.',
  'a%40',
  '?a=',
  'x ',
  'a1bbbbbbbbbbbb+',
  '1',
  'a.jpg',
  '(a)',
  "a'b",
  'token',
  'token: ',
])('3§7 a report of nothing but "%s" is scrubbed without backtracking for minutes', (part) => {
  expect(scrubText(part.repeat(8000).slice(0, 8000)).length).toBeLessThan(20_000);
});

it('3§7 of 20,000 random ids none stays in an address, and 1 in 1,000 at most in a sentence', () => {
  const { bytes } = seeded(7);
  // The others have a digit, by which each of them is found.
  const ids = Array.from({ length: 20_000 }, () => makeId(bytes)).filter((id) => !/\d/.test(id));
  const isLeftIn = (text: string) => (id: string) => scrubText(text.replace('{id}', id)).includes(id);
  for (const address of ['https://reef.example/surveys/{id}', 'at /surveys/{id}/roll', '/images/{id}: not found'])
    expect(ids.filter(isLeftIn(address)), address).toEqual([]);
  expect(ids.filter(isLeftIn('survey {id} is gone')).length).toBeLessThanOrEqual(20);
});

it('3§7 a scrubbed report has an address without ids and a message of 4,000 characters at most', () => {
  const report = {
    message: `a@b.c ${'x '.repeat(5000)}`,
    url: 'https://reef.example/surveys/abc123DEF456?x=1#y',
    uid: 'u',
  };
  expect(scrubReport(report)).toMatchObject({ url: 'https://reef.example/surveys/{id}', uid: 'u' });
  expect(scrubReport(report).message).toHaveLength(4000);
  expect(scrubReport({ message: `${'a1b2c3d4e5f6 '.repeat(615)}mara@example.org` }).message).not.toContain('mara');
  expect(scrubReport({ message: 'x' })).toEqual({ message: 'x' });
  expect(scrubReport(scrubReport(report))).toEqual(scrubReport(report));
});

it('3§7 reports that differ in numbers alone have one title, a short one', () => {
  expect(reportTitle('\nTook 12 of 30 s\nat x')).toBe('Took {n} of {n} s');
  expect(reportTitle('x'.repeat(500))).toHaveLength(200);
  expect(reportTitle(' \n')).toBe('');
});
