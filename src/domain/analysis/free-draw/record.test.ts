import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toBase64, fromBase64 } from '../../base64';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../ids';
import type { JsonObject } from '../../json';
import { decodeGeobuf } from '../../geobuf/decode';
import { encodeGeobuf } from '../../geobuf/encode';
import type { TraceCollection } from '../../geobuf/geojson';
import { categoryClass } from './categories';
import { PALETTE_COLOURS } from '../palette';
import { csvFile, downloadName, geojsonFile } from './downloads';
import { expertFormBody, readExpertForm, readStats } from './expert-form';
import type { FreeDrawMark } from './marks';
import type { NewFreeDraw } from './record';
import { freeDrawBody, NO_PRESERVED_TRACES, readFreeDraw } from './record';

const plating = categoryClass('reef_hardcoral_plating', 'bleached')!;
const water = categoryClass('background_water')!;
const MARKS: readonly FreeDrawMark[] = [
  {
    kind: 'stroke',
    since: 1000,
    paints: plating,
    points: [
      [0.1, 0.2],
      [0.30001, 0.4],
      [0.5, 0.6],
      [0.7, 0.81234],
    ],
  },
  { kind: 'zap', since: 2000, paints: water },
  {
    kind: 'polygon',
    since: 3000,
    paints: 'erase',
    rings: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  },
];

function record(more: Partial<NewFreeDraw> = {}): NewFreeDraw {
  return {
    id: 'Analysis00000001' as AnalysisId,
    version: 3,
    savedAt: '2026-11-22T03:04:05.678Z',
    author: {
      uid: 'Ana0000000000001' as PersonId,
      name: { first: 'Ana', last: 'Reef' },
      isExpert: false,
      isVerified: false,
    },
    image: { id: 'Image00000000001' as ImageId, path: 'token/url.webp', user: { uid: 'Ben0000000000001' } },
    survey: { id: 'Survey0000000001' as SurveyId, name: 'Agincourt', regionId: 'gbr' },
    marks: MARKS,
    width: 4000,
    height: 3000,
    stats: {
      coverage: 0.75,
      categories: [
        { id: water.type.id, label: 'Water', path: water.type.path, coverage: 0.5 },
        { id: plating.type.id, label: 'Plating', path: plating.type.path, mod: 'bleached', coverage: 0.25 },
      ],
    },
    preview: Uint8Array.of(0xff, 0xd8, 0xff, 1, 2),
    previous: null,
    preserved: NO_PRESERVED_TRACES,
    ...more,
  };
}

const read = (body: JsonObject) => {
  const found = readFreeDraw(body);
  if (found.kind !== 'free-draw') throw new Error(found.kind);
  return found;
};

describe('2§3 the record of free-draw', () => {
  test('a version-3 record has the specified fields and yields the same marks', () => {
    const body = freeDrawBody(record());
    expect(Object.keys(body).sort()).toEqual([
      'geobuf',
      'id',
      'image',
      'preview',
      'stats',
      'survey',
      'sync',
      'updated',
      'user',
      'version',
    ]);
    expect(body).toMatchObject({
      version: 3,
      sync: 0,
      image: { id: 'Image00000000001', path: 'token/url.webp', user: { uid: 'Ben0000000000001' } },
      survey: { id: 'Survey0000000001', name: 'Agincourt', regionId: 'gbr' },
      stats: { coverage: 0.75, categories: [{ id: 'background_water', coverage: 0.5 }, { mod: 'bleached' }] },
    });
    expect([...fromBase64(body['preview'] as string)!]).toEqual([0xff, 0xd8, 0xff, 1, 2]);
    const found = read(body);
    expect([found.marks, found.size, found.unknown.size]).toEqual([MARKS, { width: 4000, height: 3000 }, 0]);
    expect(freeDrawBody(record({ author: { ...record().author, isVerified: true, isExpert: true } }))).toMatchObject({
      verified: true,
      user: { isExpert: true },
    });
    expect(readStats(body)).toEqual(record().stats);
  });

  test('a version-1 record is GeoJSON text, full or lean, with the same marks', () => {
    const body = freeDrawBody(record({ version: 1 }));
    expect(typeof body['geojson']).toBe('string');
    expect(body['geobuf']).toBeUndefined();
    expect(JSON.parse(body['geojson'] as string)).toMatchObject({
      type: 'FeatureCollection',
      properties: { image: 'Image00000000001', width: 4000, height: 3000, zaps: [{ id: 'background_water' }] },
      features: [
        { properties: { id: 'reef_hardcoral_plating', mod: 'bleached', colour: '#fe379b' } },
        { properties: { erase: true } },
      ],
    });
    expect(read(body).marks).toEqual(MARKS);
    const lean = freeDrawBody(record(), { isLean: true });
    expect((lean['geobuf'] as string).length).toBeLessThan((freeDrawBody(record())['geobuf'] as string).length);
    expect(read(lean).marks).toEqual(MARKS);
    const packed = freeDrawBody(record({ version: 1 }), { isPacked: true, isLean: true });
    expect([packed['geojson'], read(packed).version, read(packed).marks]).toEqual([undefined, 1, MARKS]);
  });

  test('marks keep their order if the clock went back between them', () => {
    const marks = [5000, 4000, 4000, 1].map((since, i): FreeDrawMark =>
      i === 1 ? { kind: 'zap', since, paints: water } : ({ ...MARKS[0]!, since } as FreeDrawMark),
    );
    expect(read(freeDrawBody(record({ marks }))).marks.map(({ kind, since }) => [kind, since])).toEqual([
      ['stroke', 5000],
      ['zap', 5001],
      ['stroke', 5002],
      ['stroke', 5003],
    ]);
  });

  test('unknown marks and foreign members are counted and survive saving', () => {
    const body = freeDrawBody(record());
    const traces = decodeGeobuf(fromBase64(body['geobuf'] as string)!);
    const gone = {
      ...traces.features[0]!,
      properties: { ...traces.features[0]!.properties, id: 'reef_gone', since: 1500 },
    };
    const strange: TraceCollection = {
      ...traces,
      features: [gone, ...traces.features],
      properties: {
        ...traces.properties,
        zaps: [{ since: 1, id: 'reef_gone' }, ...(traces.properties!['zaps'] as [])],
      },
    };
    const before = {
      ...body,
      geobuf: toBase64(encodeGeobuf(strange)),
      fromTheFuture: { a: 1 },
      analysis: { 'x-live': 3 },
    };
    const found = read(before);
    expect([found.marks, [...found.unknown]]).toEqual([MARKS, [['reef_gone', 2]]]);
    const again = freeDrawBody(
      record({ previous: before, preserved: found.preserved, marks: found.marks.slice(0, 2) }),
    );
    expect(again).toMatchObject({ fromTheFuture: { a: 1 }, analysis: { 'x-live': 3 } });
    expect([read(again).marks.length, [...read(again).unknown]]).toEqual([2, [['reef_gone', 2]]]);
    const other = freeDrawBody(record({ previous: before, preserved: found.preserved, version: 1 }));
    expect([other['geobuf'], [...read(other).unknown]]).toEqual([undefined, [['reef_gone', 2]]]);
  });

  test('a broken, newer or foreign record is reported as such', () => {
    const body = freeDrawBody(record());
    const old = freeDrawBody(record({ version: 1 }));
    const broken: JsonObject[] = [
      { ...body, geobuf: 'not base64!' },
      { ...body, geobuf: (body['geobuf'] as string).slice(0, 40) },
      { ...body, geobuf: '' },
      { ...body, geobuf: 7 },
      { version: 3 },
      { ...old, geojson: '{' },
      { ...old, geojson: '{"type":"FeatureCollection"}' },
      {
        ...old,
        geojson:
          '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,null]]}}]}',
      },
      {
        ...old,
        geojson:
          '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]}}]}',
      },
    ];
    expect(broken.map((one) => readFreeDraw(one).kind)).toEqual(broken.map(() => 'broken'));
    expect(
      [
        { ...body, version: 6 },
        { ...body, version: 'x' },
        { ...body, version: null },
      ].map((one) => readFreeDraw(one).kind),
    ).toEqual(['other-version', 'other-version', 'other-version']);
    expect(
      [{ version: 2.4, geobuf_string: 'AA' }, { version: 3.1 }, {}].map(
        (one) => readFreeDraw(one as unknown as JsonObject).kind,
      ),
    ).toEqual(['other', 'other', 'other']);
    expect(readFreeDraw({ ...body, version: '3' }).kind).toBe('free-draw');
  });
});

describe('2§3 the analysis map of an expert', () => {
  test('an expert analysis round-trips in a version-3 record and keeps its traces', () => {
    const form = {
      percent: { 'branching-live': 12.5, 'branching-dead': 0 },
      dominantCoral: 'Acropora',
      isBadImage: false,
    };
    const { id, author, image, survey, savedAt } = record();
    const body = expertFormBody({
      id,
      author: { ...author, isExpert: true },
      image,
      survey,
      savedAt,
      form,
      previous: { ...freeDrawBody(record()), analysis: { 'massive-live': 9, note: 'kept' } },
    });
    expect(body['analysis']).toEqual({
      note: 'kept',
      'branching-live': 12.5,
      'branching-dead': 0,
      'dominant-coral': 'Acropora',
      'bad-image': false,
    });
    expect(readExpertForm(body)).toEqual(form);
    expect(read(body)).toMatchObject({ marks: MARKS, isForm: false });
    expect(read(expertFormBody({ id, author, image, survey, savedAt, form, previous: null }))).toMatchObject({
      marks: [],
      isForm: true,
    });
    expect(() =>
      expertFormBody({
        id,
        author,
        image,
        survey,
        savedAt,
        form: { ...form, percent: { 'branching-live': 100.1 } },
        previous: null,
      }),
    ).toThrow(RangeError);
    expect(() =>
      expertFormBody({
        id,
        author,
        image,
        survey,
        savedAt,
        form: { ...form, percent: { 'branching-live': NaN } },
        previous: null,
      }),
    ).toThrow(RangeError);
    expect(readExpertForm({ analysis: { 'branching-live': 200, 'massive-dead': 3, 'bad-image': 'yes' } })).toEqual({
      percent: { 'massive-dead': 3 },
      dominantCoral: '',
      isBadImage: false,
    });
  });
});

describe('2§2 download analysis', () => {
  test('2§3 a CSV row has a category with its colour, and unsafe text is escaped', () => {
    const { stats } = record();
    expect(csvFile(stats)).toBe(
      'id,label,path,mod,coverage,colour\r\nbackground_water,Water,Scene & surrounds > Water,,0.5,#121886\r\nreef_hardcoral_plating,Plating,Coral reef > Hard coral > Plating,bleached,0.25,#fe379b\r\n',
    );
    expect(csvFile({ coverage: 1, categories: [{ id: '=A1', label: 'a,"b"', path: [], coverage: 1 }] })).toContain(
      `'=A1,"a,""b""",,,1,\r\n`,
    );
  });

  test('file names fit any file system', () => {
    expect(downloadName('csv', { name: '../DCIM/G 1:2?.JPG', id: 'Image00000000001' })).toEqual({
      name: 'G-1-2-analysis.csv',
      type: 'text/csv',
    });
    expect([
      downloadName('png', { name: '', id: 'Image00000000001' }).name,
      downloadName('geojson', { name: '....', id: 'Image00000000001' }).name,
    ]).toEqual(['Image00000000001-analysis.png', 'Image00000000001-analysis.geojson']);
    expect(
      JSON.parse(geojsonFile(MARKS, { savedAt: 0, imageId: 'i', survey: { id: 's' }, width: 4, height: 3 })),
    ).toMatchObject({ type: 'FeatureCollection', properties: { width: 4, height: 3 } });
  });

  test('colours are those of the design system', () => {
    const css = readFileSync(new URL('../../../ui/tokens/tokens.css', import.meta.url), 'utf8');
    const drawn = Object.fromEntries(
      [...css.matchAll(/--c-([A-Z]): (#[0-9a-f]{6});/g)].map(([, letter, colour]) => [letter, colour]),
    );
    expect(PALETTE_COLOURS).toEqual(drawn);
  });
});

test('base64 equals Node’s output, and invalid base64 is refused', () => {
  for (let n = 0; n < 70; n++) {
    const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 151 + n * 7) & 255);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    expect(fromBase64(toBase64(bytes).replace(/=+$/, ''))).toEqual(bytes);
  }
  expect(['A', 'AA=', 'A===', 'AA==A', 'AA\n=', 'é', 'A-_A'].map(fromBase64)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});
