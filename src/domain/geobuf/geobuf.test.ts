import fc from 'fast-check';
import { decode, encode } from 'geobuf';
import Pbf from 'pbf';
import { describe, expect, test } from 'vitest';
import { decodeGeobuf } from './decode';
import { encodeGeobuf } from './encode';
import { GeobufError } from './geobuf-error';
import type { TraceCollection } from './geojson';

const five = fc.integer({ min: -20_000, max: 120_000 }).map((units) => units / 100_000);
const coarse = fc.constantFrom(0, 0.5, 0.25, 1);
const coordinate = fc.oneof({ weight: 9, arbitrary: five }, { weight: 1, arbitrary: coarse });
const place = fc.tuple(coordinate, coordinate);
const line = fc.array(place, { minLength: 1, maxLength: 30 });
const ring = fc.array(place, { minLength: 3, maxLength: 12 }).map((corners) => [...corners, corners[0]!]);
const name = fc
  .oneof(
    fc.constantFrom('since', 'colour', 'id', 'label', 'path', 'mod', 'erase', 'ü', 'properties'),
    fc.string({ maxLength: 6 }),
  )
  .filter((key) => key !== '__proto__' && key !== 'constructor' && key !== 'prototype');
/** pbf corrupts characters from U+20000. */
const known = (words: string): boolean => !/[\u{20000}-\u{10ffff}]/u.test(words);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }).filter(known),
  fc.constantFrom('Riff 🪸', 'x'.repeat(200), '\ud800', 'é'.repeat(64)),
);
const value = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((number) => !Object.is(number, -0) && (!Number.isInteger(number) || Number.isSafeInteger(number))),
  fc.maxSafeInteger(),
  fc.constant(1_800_000_000_000),
  fc.array(fc.nat(9), { maxLength: 5 }),
  fc.record({ a: text, b: fc.array(fc.boolean()) }),
);
const members = fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true });
const feature = fc.record({
  type: fc.constant('Feature' as const),
  geometry: fc.oneof(
    fc.record({ type: fc.constant('LineString' as const), coordinates: line }),
    fc.record({ type: fc.constant('Polygon' as const), coordinates: fc.array(ring, { minLength: 1, maxLength: 3 }) }),
  ),
  properties: members,
});
const collection = fc.record({
  type: fc.constant('FeatureCollection' as const),
  features: fc.array(feature, { maxLength: 12 }),
  properties: members,
}) as fc.Arbitrary<TraceCollection>;

const npmBytes = (of: unknown): Uint8Array => encode(of, new Pbf());

describe('2§3 geobuf: reads and writes the same as the npm package', () => {
  test('encoded bytes and decoded objects equal those of the npm package', () => {
    fc.assert(
      fc.property(collection, (traces) => {
        const ours = encodeGeobuf(traces);
        expect(Buffer.compare(ours, npmBytes(traces))).toBe(0);
        const theirs = decode(new Pbf(ours)) as unknown as { features: { properties?: object }[] };
        // For a trace without properties the package omits the member, which GeoJSON does not allow.
        for (const each of theirs.features) each.properties ??= {};
        expect(decodeGeobuf(ours)).toEqual(theirs);
        expect(Buffer.compare(encodeGeobuf(decodeGeobuf(ours)), ours)).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  test('characters of all planes round-trip', () => {
    const properties = { label: 'Riff 🪸 \u{20000}\u{10ffff} ü' };
    expect(decodeGeobuf(encodeGeobuf({ type: 'FeatureCollection', features: [], properties })).properties).toEqual(
      properties,
    );
  });

  test('five decimals round-trip, and finer ones stay within half a unit of the fifth', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(five, five), { minLength: 1, maxLength: 50 }), (coordinates) => {
        const traces: TraceCollection = {
          type: 'FeatureCollection',
          features: [{ type: 'Feature', geometry: { type: 'LineString', coordinates }, properties: {} }],
        };
        expect(decodeGeobuf(encodeGeobuf(traces)).features[0]?.geometry.coordinates).toEqual(coordinates);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 50,
        }),
        (coordinates) => {
          const traces: TraceCollection = {
            type: 'FeatureCollection',
            features: [{ type: 'Feature', geometry: { type: 'LineString', coordinates }, properties: {} }],
          };
          const back = decodeGeobuf(encodeGeobuf(traces)).features[0]?.geometry.coordinates as [number, number][];
          expect(back.length).toBe(coordinates.length);
          back.forEach(([x, y], index) =>
            expect(
              Math.max(Math.abs(x - coordinates[index]![0]), Math.abs(y - coordinates[index]![1])),
            ).toBeLessThanOrEqual(0.5e-5),
          );
        },
      ),
    );
  });
});

describe('invalid bytes end in an error with a reason', () => {
  const traces: TraceCollection = {
    type: 'FeatureCollection',
    properties: { width: 4000, height: 3000, zaps: [{ id: 'sand', since: 5 }] },
    features: [
      {
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [0.1, 0.2],
            [0.30001, 0.4],
          ],
        },
        properties: { since: 1_800_000_000_000, id: 'plating', erase: false },
      },
      {
        type: 'Feature',
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
            [
              [0.2, 0.1],
              [0.3, 0.1],
              [0.3, 0.2],
              [0.2, 0.1],
            ],
          ],
        },
        properties: { area: -1.5 },
      },
    ],
  };
  const whole = encodeGeobuf(traces);
  const orError = (bytes: Uint8Array): void => {
    try {
      decodeGeobuf(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(GeobufError);
    }
  };

  test('truncated, altered and random bytes never crash or hang', () => {
    for (let length = 0; length < whole.length; length++)
      expect(() => decodeGeobuf(whole.subarray(0, length))).toThrow(GeobufError);
    for (let at = 0; at < whole.length; at++)
      for (const change of [1, 2, 4, 8, 16, 32, 64, 128, 255])
        orError(whole.map((byte, index) => (index === at ? byte ^ change : byte)));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), orError), { numRuns: 1500 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (changes) => orError(whole.map((byte, index) => changes.find(([at]) => at === index)?.[1] ?? byte)),
      ),
      { numRuns: 1500 },
    );
  });

  test('excessive lengths, precision, shapes and dimensions are refused', () => {
    expect(() => decodeGeobuf(Uint8Array.of(0x22, 0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow('longer than the whole');
    expect(() => decodeGeobuf(Uint8Array.of(0x18, 40, 0x22, 0))).toThrow('too many decimals');
    expect(() => decodeGeobuf(Uint8Array.of(0x10, 3, 0x22, 4, 0x0a, 2, 0x0a, 0))).toThrow(GeobufError);
    expect(() => decodeGeobuf(npmBytes({ type: 'Point', coordinates: [1, 2] }))).toThrow('not a feature collection');
    expect(() =>
      decodeGeobuf(
        npmBytes({
          type: 'FeatureCollection',
          features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: {} }],
        }),
      ),
    ).toThrow('neither a line nor a polygon');
    expect(() =>
      decodeGeobuf(
        npmBytes({
          type: 'FeatureCollection',
          features: [{ type: 'Feature', geometry: { type: 'LineString', coordinates: [[1, 2, 3]] }, properties: {} }],
        }),
      ),
    ).toThrow('two dimensions');
    expect(() =>
      encodeGeobuf({
        type: 'FeatureCollection',
        features: [
          { type: 'Feature', geometry: { type: 'LineString', coordinates: [[Number.NaN, 0]] }, properties: {} },
        ],
      }),
    ).toThrow(RangeError);
  });

  test('names that reach into object prototypes are dropped', () => {
    const bytes = encodeGeobuf({
      type: 'FeatureCollection',
      features: [],
      properties: {},
      ...(JSON.parse('{"__proto__": {"polluted": true}}') as object),
    });
    decodeGeobuf(bytes);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
