import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../base64';
import { decodeGeobuf } from '../../geobuf/decode';
import { encodeGeobuf } from '../../geobuf/encode';
import type { Position, TraceCollection } from '../../geobuf/geojson';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../ids';
import type { JsonObject } from '../../json';
import { CATEGORY_CLASSES, categoryClass } from './categories';
import { csvFile, downloadName } from './downloads';
import { readExpertForm, readStats } from './expert-form';
import type { FreeDrawMark } from './marks';
import type { PreservedTraces, NewFreeDraw } from './record';
import { NO_PRESERVED_TRACES, freeDrawBody, readFreeDraw } from './record';

const record = (
  marks: readonly FreeDrawMark[],
  version: 1 | 3,
  kept: PreservedTraces = NO_PRESERVED_TRACES,
  before: JsonObject | null = null,
): NewFreeDraw => ({
  id: 'Analysis00000001' as AnalysisId,
  version,
  savedAt: '2026-11-20T00:00:00.000Z',
  author: { uid: 'Ana0000000000001' as PersonId, name: { first: 'Ana', last: '' }, isExpert: false, isVerified: false },
  image: { id: 'Image00000000001' as ImageId, path: null, user: null },
  survey: { id: 'Survey0000000001' as SurveyId, name: 'Agincourt', regionId: null },
  marks,
  width: 4000,
  height: 3000,
  stats: { coverage: 0, categories: [] },
  preview: null,
  previous: before,
  preserved: kept,
});
const read = (body: JsonObject) => {
  const found = readFreeDraw(body);
  if (found.kind !== 'free-draw') throw new Error(`${found.kind}: ${'reason' in found ? found.reason : ''}`);
  return found;
};
const line = {
  type: 'Feature',
  geometry: {
    type: 'LineString',
    coordinates: [
      [0.1, 0.1],
      [0.2, 0.2],
    ],
  },
  properties: { id: 'sand', since: 1 },
};
const collection = (features: readonly unknown[] = [line], more: object = {}): object => ({
  type: 'FeatureCollection',
  features,
  properties: { width: 4000, height: 3000, zaps: [] },
  ...more,
});
const packed = (of: object): JsonObject => ({ version: 3, geobuf: toBase64(encodeGeobuf(of as TraceCollection)) });
const plain = (of: object): JsonObject => ({ version: 1, geojson: JSON.stringify(of) });

const isOpen = (ring: readonly Position[]): boolean => ring.length === 1 || String(ring[0]) !== String(ring.at(-1));

/** Expects a body to round-trip in both versions. */
function expectKept(body: JsonObject): void {
  const first = readFreeDraw(body);
  if (first.kind !== 'free-draw' || first.isForm) return;
  for (const version of [1, 3] as const) {
    const once = freeDrawBody(record(first.marks, version, first.preserved, body));
    const found = read(once);
    const bare = (marks: readonly FreeDrawMark[]): unknown =>
      marks.map((mark) => ({
        ...mark,
        since: 0,
        ...('rings' in mark
          ? {
              rings: mark.rings
                .filter((ring) => ring.length > 0)
                .map((ring) => ring.concat(isOpen(ring) ? [ring[0]!] : [])),
            }
          : {}),
      }));
    expect(bare(found.marks)).toEqual(bare(first.marks));
    expect(found.unknown).toEqual(first.unknown);
    // The first write normalises another maker's encoding; later writes are byte-identical.
    const twice = freeDrawBody(record(found.marks, version, found.preserved, once));
    const foundAgain = read(twice);
    expect(foundAgain.marks).toEqual(found.marks);
    expect(freeDrawBody(record(foundAgain.marks, version, foundAgain.preserved, twice))).toEqual(twice);
  }
}

describe('2§3 a hostile record', () => {
  test('an invalid version is ignored and throws nothing', () => {
    for (const version of [{ toString: 1, valueOf: 1 }, [3], true, null, {}] as const) {
      expect(readFreeDraw({ ...packed(collection()), version: version as JsonObject }).kind).toBe('other-version');
      expect(readFreeDraw({ version: version as JsonObject }).kind).toBe('other');
    }
    for (const version of [3, '3', '3.0', 1, '1'])
      expect(readFreeDraw({ ...packed(collection()), version }).kind).toBe('free-draw');
    for (const version of [2.1, '2.1', 3.2, '', 'three'])
      expect(readFreeDraw({ ...packed(collection()), version }).kind).toBe('other-version');
  });

  test('members named like those of a trace do not replace them', () => {
    const disguised = {
      ...collection([{ ...line, Xeometry: null, Xype: 'Point', Xroperties: null }]),
      Xeatures: 5,
      Xype: 'Feature',
    };
    const bytes = encodeGeobuf(disguised as unknown as TraceCollection);
    const text = Buffer.from(bytes)
      .toString('latin1')
      .replace('Xeatures', 'features')
      .replaceAll('Xype', 'type')
      .replace('Xeometry', 'geometry')
      .replace('Xroperties', 'properties');
    const found = read({ version: 3, geobuf: Buffer.from(text, 'latin1').toString('base64') });
    expect(found.marks).toHaveLength(1);
    for (const properties of [null, 5, 'x', [], true]) {
      expect(read(packed(collection([line], { properties }))).marks).toHaveLength(1);
      expect(read(plain(collection([line], { properties }))).marks).toHaveLength(1);
    }
    for (const zaps of [null, 5, 'x', {}, [null, 5, [], { id: 5 }, { erase: true }, { id: '__proto__' }]])
      expect(read(packed(collection([line], { properties: { zaps } }))).marks).toHaveLength(1);
  });

  test('empty, single-point and open rings survive another save', () => {
    const rings = [
      [
        [0, 0],
        [0.5, 0.5],
        [1, 0],
      ],
      [],
      [[0.1, 0.1]],
      [
        [0.2, 0.2],
        [0.3, 0.2],
        [0.3, 0.3],
        [0.2, 0.2],
      ],
    ];
    const area = {
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: rings },
      properties: { id: 'sand', since: 1 },
    };
    const found = read(plain(collection([area, line])));
    const again = read(freeDrawBody(record(found.marks, 3)));
    expect(again.marks).toMatchObject([
      {
        rings: [
          [
            [0, 0],
            [0.5, 0.5],
            [1, 0],
            [0, 0],
          ],
          [],
          [
            [0.1, 0.1],
            [0.1, 0.1],
          ],
          rings[3],
        ],
      },
      { kind: 'stroke' },
    ]);
    for (const coordinates of [[], [[]], [[], []]])
      expect(
        read(
          freeDrawBody(
            record(read(plain(collection([{ ...area, geometry: { type: 'Polygon', coordinates } }, line]))).marks, 3),
          ),
        ).marks,
      ).toHaveLength(2);
  });

  test('a mark far outside the picture leaves the record unchanged', () => {
    for (const far of [1e5, 1e10, 1e17, 1e300]) {
      const away = collection([
        {
          ...line,
          geometry: {
            type: 'LineString',
            coordinates: [
              [0.123456, 0],
              [far, -far],
            ],
          },
        },
      ]);
      expect(readFreeDraw(plain(away)).kind).toBe('broken');
      if (far > 1e9) expect(() => encodeGeobuf(away as TraceCollection)).toThrow(RangeError);
    }
    expectKept(
      plain(
        collection([
          {
            ...line,
            geometry: {
              type: 'LineString',
              coordinates: [
                [-9999.5, 9999.12345],
                [3, 3],
              ],
            },
          },
        ]),
      ),
    );
  });

  test('extreme times do not change the order of marks', () => {
    const tool = (since: number, id: string): object => ({ ...line, properties: { id, since } });
    const found = read(
      plain(
        collection([tool(1e300, 'sand'), tool(2 ** 53, 'water')], {
          properties: { zaps: [{ id: 'flag_focus', since: -1e300 }] },
        }),
      ),
    );
    const marks: FreeDrawMark[] = [
      ...found.marks,
      { kind: 'zap', since: 2, paints: categoryClass('flag_close')! },
      {
        kind: 'stroke',
        since: 3,
        paints: 'erase',
        points: [
          [0, 0],
          [1, 1],
        ],
      },
    ];
    for (const version of [1, 3] as const)
      expect(
        read(freeDrawBody(record(marks, version))).marks.map(({ kind, paints }) => [
          kind,
          paints === 'erase' ? '' : paints.type.id,
        ]),
      ).toEqual(marks.map(({ kind, paints }) => [kind, paints === 'erase' ? '' : paints.type.id]));
  });

  test('nesting and names that cannot be written again are refused or dropped', () => {
    const deep = `{"id":"gone","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const text = JSON.stringify(collection([{ ...line, properties: 'DEEP' }])).replace('"DEEP"', deep);
    expect(readFreeDraw({ version: 1, geojson: text }).kind).toBe('broken');
    const strange = collection([
      { ...line, id: { toString: 1 }, properties: { id: 'gone', since: 2, constructor: 1 } },
      { ...line, id: null, properties: { id: 'gone' } },
    ]);
    expectKept(plain(strange));
  });

  test('any members are read without a throw and round-trip', () => {
    const junk = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        1e300,
        -1,
        1e16,
        '__proto__',
        'x'.repeat(500),
        { toString: 1, valueOf: 2 },
        'sand',
        'flag_close',
        'water',
        'live',
        3,
        '1',
      ),
    );
    const place = fc.tuple(
      fc.oneof(
        fc.double({ min: -2, max: 3, noNaN: true }),
        fc.integer({ min: 0, max: 1e5 }).map((n) => n / 1e5),
      ),
      fc.double({ min: -1, max: 2, noNaN: true }).map((n) => Math.round(n * 1e5) / 1e5),
    );
    const tool = fc.record(
      {
        id: fc.oneof(junk, fc.constantFrom('sand', 'branching', 'flag_focus', 'gone')),
        since: junk,
        mod: junk,
        erase: junk,
        more: junk,
      },
      { requiredKeys: [] },
    );
    const feature = fc.record({
      type: fc.constant('Feature'),
      geometry: fc.oneof(
        fc.record({ type: fc.constant('LineString'), coordinates: fc.array(place, { maxLength: 5 }) }),
        fc.record({
          type: fc.constant('Polygon'),
          coordinates: fc.array(fc.array(place, { maxLength: 5 }), { maxLength: 3 }),
        }),
      ),
      properties: tool,
    });
    const traces = fc.record({
      type: fc.constant('FeatureCollection'),
      features: fc.array(feature, { maxLength: 5 }),
      properties: fc.oneof(
        junk,
        fc.record({
          zaps: fc.oneof(junk, fc.array(fc.oneof(junk, tool), { maxLength: 4 })),
          width: junk,
          height: junk,
        }),
      ),
    });
    fc.assert(
      fc.property(traces, junk, junk, junk, (of, version, stats, analysis) => {
        const all = { image: version, survey: stats, user: analysis, stats, analysis } as JsonObject;
        for (const body of [
          { ...plain(of), version: version as string },
          plain(of),
          { ...plain(of), ...all },
          { ...all, version: 3, geobuf: version as string },
        ]) {
          readFreeDraw(body);
          readExpertForm(body);
          readStats(body);
          if (body['geojson'] !== undefined) expectKept(JSON.parse(JSON.stringify(body)) as JsonObject);
        }
      }),
      { numRuns: 250 },
    );
  });

  test('corrupt bytes yield the marks or an error, quickly', () => {
    const whole = fromBase64(
      freeDrawBody(
        record(
          CATEGORY_CLASSES.slice(0, 4).flatMap((paints, n): FreeDrawMark[] => [
            {
              kind: 'stroke',
              since: n,
              paints,
              points: [
                [0.1, 0.2],
                [0.3, n / 10],
              ],
            },
            {
              kind: 'polygon',
              since: n,
              paints,
              rings: [
                [
                  [0, 0],
                  [1, 0],
                  [1, 1],
                  [0, 0],
                ],
                [
                  [0.2, 0.2],
                  [0.3, 0.2],
                  [0.3, 0.3],
                  [0.2, 0.2],
                ],
              ],
            },
          ]),
          3,
        ),
      )['geobuf'] as string,
    )!;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (changes) => {
          const bytes = whole.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          expectKept({ version: 3, geobuf: toBase64(bytes) });
        },
      ),
      { numRuns: 1500 },
    );
    // A 20-byte collection whose line claims 2^40 places, and one with a million rings.
    for (const lengths of [[0xff, 0xff, 0xff, 0xff, 0xff, 0x3f], Array.from({ length: 100 }, () => 0)]) {
      const geometry = [8, 4, 18, lengths.length, ...lengths, 26, 1, 0];
      const of = [10, geometry.length, ...geometry];
      const all = [10, of.length, ...of];
      expect(() => decodeGeobuf(Uint8Array.of(34, all.length, ...all))).toThrow();
    }
  });
});

describe('2§2 downloads with hostile names', () => {
  test('no CSV cell is a formula to a spreadsheet', () => {
    const evil = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '  =1', '\u00a0=1', '\uff1d1', '"=1'];
    const csv = csvFile({
      coverage: 1,
      categories: evil.map((label) => ({ id: 'x', label, path: [label], coverage: 0.5 })),
    });
    const cells = csv
      .split('x,')
      .slice(1)
      .map((row) => row.replace(/^"/, ''));
    expect(cells).toHaveLength(evil.length);
    for (const text of cells) expect(text).toMatch(/^(?:'|"")/);
  });

  test('a file name has no path and whole characters, for any name and id', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('', '../../etc/passwd', '..', 'C:\\x\\', '\u{2f800}'.repeat(99), 'a'.repeat(79) + '-b'),
        ),
        fc.oneof(fc.string(), fc.constantFrom('', '../x', '/', '\\..')),
        (name, id) => {
          const made = downloadName('csv', { name, id }).name;
          expect(made).toMatch(/^[\p{L}\p{N}_][\p{L}\p{N}._-]*-analysis\.csv$/u);
          expect(made.isWellFormed()).toBe(true);
          expect([...made].length).toBeLessThanOrEqual(93);
        },
      ),
    );
  });
});
