import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalCovers, RESULT } from '../../../../tests/support/results';
import type { FeatureTable } from '../feature-table';
import type { ReefResult } from '../reef-result';
import { buildFeatureTable } from '../tables/feature-table-file';
import { decodeFirstPicture } from './decode-first-picture';
import type { DegreeRing } from './encode-first-picture';
import { encodeFirstPicture } from './encode-first-picture';
import { FIRST_PICTURE_BYTES } from './first-picture';
import { NumberReader, NumberWriter } from './number-text';
import { simplifyRing } from './simplify';

const BOUNDS = [141.65, -25.12, 154.34, -9.95] as const;
const VERSIONS = { skill: 2, pipeline: 1, release: 7 };

/** Reefs along a coast, as the numbers of charts run. */
function tableOf(count: number): FeatureTable {
  return buildFeatureTable({
    regionId: 'gbr',
    features: Array.from({ length: count }, (_, row) => {
      const latitude = -10 - (row / count) * 15 + 0.1 * Math.sin(row * 12.9898);
      const longitude = 143 + (row / count) * 10 + 0.3 * Math.sin(row * 78.233);
      const side = 0.01 + 0.05 * Math.abs(Math.sin(row));
      const bounds = [longitude - side / 2, latitude - side / 2, longitude + side / 2, latitude + side / 2] as const;
      return {
        id: `gbr-${row}`,
        gid: `16-${row}`,
        name: row % 2 === 0 ? `Réef ${row}` : '',
        type: 'Reef',
        longitude,
        latitude,
        bounds,
      };
    }),
    surveyed: {},
  });
}

const result = (featureId: string, value: number | null, datasetId = 'grc6'): ReefResult => ({
  ...RESULT,
  featureId,
  datasetId,
  covers:
    value === null ? null : equalCovers({ value, low: Math.max(0, value - 7.3), high: Math.min(100, value + 9.1) }),
  versions: VERSIONS,
});

/** Circle around each feature. */
function circles(table: FeatureTable, points: number): ReadonlyMap<number, readonly DegreeRing[]> {
  return new Map(
    table.ids.map((_, row) => {
      const [west = 0, , east = 0] = table.bounds[row] ?? [];
      const ring = Array.from({ length: points }, (__, i) => {
        const angle = (2 * Math.PI * i) / points;
        const radius = (east - west) / 2;
        const at = [
          (table.longitudes[row] ?? 0) + radius * Math.cos(angle),
          (table.latitudes[row] ?? 0) + radius * Math.sin(angle),
        ];
        return at as unknown as readonly [number, number];
      });
      return [row, [ring]];
    }),
  );
}

const encode = (
  table: FeatureTable,
  results: readonly ReefResult[],
  { budget, outlines = new Map() }: { budget?: number; outlines?: ReadonlyMap<number, readonly DegreeRing[]> } = {},
) =>
  encodeFirstPicture(
    {
      table,
      results,
      datasetId: 'grc6',
      asOf: '2026-01-01T00:00:00.000Z',
      versions: VERSIONS,
      bounds: BOUNDS,
      outlines,
      land: [
        [
          [141.7, -12],
          [142.5, -14],
          [146, -19],
          [145, -19],
          [141.7, -17],
        ],
      ],
    },
    budget,
  );
const bytes = (text: string): number => new TextEncoder().encode(text).length;
const GBR = tableOf(5336);

describe('3§2 first picture', () => {
  it('3§2 5,336 features, 300 results with their names, and outlines fit into 40 kB', () => {
    const results = Array.from({ length: 300 }, (_, i) => result(`gbr-${i * 7}`, i % 9 === 0 ? null : i % 101));
    const text = encode(GBR, results, { outlines: circles(GBR, 60) });
    expect(bytes(text)).toBeLessThanOrEqual(FIRST_PICTURE_BYTES);
    const picture = decodeFirstPicture(JSON.parse(text));
    expect(picture).toMatchObject({ regionId: 'gbr', datasetId: 'grc6', bounds: BOUNDS, versions: VERSIONS });
    expect(picture.rows).toHaveLength(5336);
    const { step } = JSON.parse(text) as { step: number };
    const farthest = picture.longitudes.reduce(
      (most, at, row) => Math.max(most, Math.abs(at - (GBR.longitudes[row] ?? 0))),
      0,
    );
    expect(farthest).toBeLessThanOrEqual(step / 2 + 1e-9);
    expect(picture.results).toHaveLength(300);
    expect(picture.results[0]).toMatchObject({ row: 0, cover: null });
    expect(picture.results[50]).toMatchObject({ row: 350, label: 'Réef 350', cover: { value: 50, low: 42, high: 60 } });
    expect(picture.outlines.length).toBeGreaterThan(0);
    expect(picture.land).toHaveLength(1);
    // Reefs with a result come first; what is left of the budget has others.
    const withResult = new Set(picture.results.map(({ row }) => row));
    const order = picture.outlines.map(({ row }) => Number(!withResult.has(row)));
    expect(order[0]).toBe(0);
    expect(order).toEqual([...order].sort());
  });

  it('3§2 with a result for every feature none is dropped', () => {
    const results = GBR.ids.map((id, row) => result(id, (row * 13) % 101));
    const text = encode(GBR, results);
    expect(bytes(text)).toBeLessThanOrEqual(FIRST_PICTURE_BYTES);
    expect(decodeFirstPicture(JSON.parse(text)).results.map(({ cover }) => cover?.value)).toEqual(
      GBR.ids.map((_, row) => (row * 13) % 101),
    );
  });

  it('3§2 it fits any budget that the results fit, and keeps them all', () => {
    const table = tableOf(400);
    const results = [3, 50, 51, 399]
      .map((row) => result(`gbr-${row}`, 40))
      .concat(result('gbr-1', 10, 'grc5'), result('gone', 5));
    fc.assert(
      fc.property(fc.integer({ min: 450, max: 9000 }), (budget) => {
        const text = encode(table, results, { budget, outlines: circles(table, 12) });
        expect(bytes(text)).toBeLessThanOrEqual(budget);
        const picture = decodeFirstPicture(JSON.parse(text));
        expect(picture.results.map(({ row }) => row)).toEqual([3, 50, 51, 399]);
        for (const { row } of picture.results) expect(picture.rows).toContain(row);
      }),
      { numRuns: 30 },
    );
    expect(() => encode(table, results, { budget: 200 })).toThrow(RangeError);
  });

  it('3§2 with room for all, ids, labels, sizes and an outline come back', () => {
    const table = tableOf(3);
    const text = encode(table, [result('gbr-2', 33)].reverse(), { outlines: circles(table, 40) });
    expect(encode(table, [result('gbr-2', 33)], { outlines: circles(table, 40) })).toBe(text);
    const picture = decodeFirstPicture(JSON.parse(text));
    expect(picture.results[0]).toEqual({
      row: 2,
      id: 'gbr-2',
      label: 'Réef 2',
      cover: { value: 33, low: 25, high: 43 },
    });
    const [west = 0, , east = 0] = table.bounds[2] ?? [];
    expect(picture.radii[2]).toBeCloseTo((east - west) / 2, 2);
    const ring = picture.outlines.find(({ row }) => row === 2)?.ring ?? new Float64Array();
    for (let i = 0; i < ring.length; i += 2) {
      const distance = Math.hypot(
        (ring[i] ?? 0) - (table.longitudes[2] ?? 0),
        (ring[i + 1] ?? 0) - (table.latitudes[2] ?? 0),
      );
      expect(Math.abs(distance - (east - west) / 2)).toBeLessThan(0.01);
    }
  });

  it('3§2 outlines that are broken or cross the 180th meridian become points', () => {
    const table = tableOf(2);
    const outlines = new Map<number, readonly DegreeRing[]>([
      [
        0,
        [
          [
            [179, -10],
            [-179, -10],
            [-179, -11],
          ],
        ],
      ],
      [
        1,
        [
          [
            [NaN, 0],
            [1, 2],
            [3, 4],
          ],
          [],
          [[143, -10]],
        ],
      ],
      [
        9,
        [
          [
            [143, -10],
            [144, -10],
            [144, -11],
          ],
        ],
      ],
    ]);
    expect(decodeFirstPicture(JSON.parse(encode(table, [], { outlines }))).outlines).toEqual([]);
  });

  it('3§2 a cut, changed or later file is refused, and nothing else is thrown', () => {
    const file = JSON.parse(
      encode(tableOf(20), [result('gbr-2', 33)], { outlines: circles(tableOf(20), 9) }),
    ) as Record<string, unknown>;
    expect(() => decodeFirstPicture({ ...file, version: 2 })).toThrow(
      expect.objectContaining({ code: 'unsupported-version' }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(file)),
        fc.oneof(
          fc.jsonValue(),
          fc.string(),
          fc.nat(40).map((cut) => ({ cut })),
        ),
        (key, change) => {
          const before = file[key];
          const isCut = typeof change === 'object' && change !== null && 'cut' in change && typeof before === 'string';
          const value = isCut ? before.slice(0, Number(change.cut)) : change;
          try {
            decodeFirstPicture({ ...file, [key]: value });
          } catch (error) {
            expect(error).toMatchObject({ name: 'ReefError' });
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('3§2 number text', () => {
  it('3§2 numbers of either sign read back, small ones as one character, and need no escape', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 })), (numbers) => {
        const writer = new NumberWriter();
        for (const number of numbers) writer.signed(number);
        expect(JSON.stringify(writer.text)).toBe(`"${writer.text}"`);
        const reader = new NumberReader(writer.text, 'x');
        expect(numbers.map(() => reader.signed() + 0)).toEqual(numbers.map((number) => number + 0));
        expect(reader.isAtEnd).toBe(true);
      }),
    );
    expect(new NumberWriter().unsigned(44).text).toHaveLength(1);
    expect(new NumberWriter().unsigned(2069).text).toHaveLength(2);
    expect(() => new NumberReader('é', 'x').unsigned()).toThrow(/no digit/);
    expect(() => new NumberReader('z'.repeat(50), 'x').unsigned()).toThrow(/too large/);
  });

  it('3§2 a simplified ring keeps its corners, within the tolerance', () => {
    const square = [
      ...Array.from({ length: 11 }, (_, i) => [i, 0] as const),
      [10, 10] as const,
      [0, 10] as const,
      [0, 0] as const,
    ];
    expect(simplifyRing(square, 0.5)).toEqual([
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 10],
    ]);
    expect([
      simplifyRing([], 1),
      simplifyRing(
        [
          [1, 1],
          [1, 1],
        ],
        1,
      ),
    ]).toEqual([[], [[1, 1]]]);
  });
});
