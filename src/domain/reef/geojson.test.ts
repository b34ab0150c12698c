import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REGIONS } from '../region/regions';
import { isInBounds, kmFromBounds, readReefGeojson, skipReasonsText } from './geojson';
import { reefFileOf, reefFileSchema } from './reef';

const point = (longitude: unknown, latitude: unknown, properties: object, id?: unknown) => ({
  type: 'Feature',
  ...(id === undefined ? {} : { id }),
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
  properties,
});
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });

describe('3§3 reef feature: a table from GeoJSON', () => {
  it('features with and without a name are read with id, number, kind and position', () => {
    const outline = {
      type: 'Feature',
      id: 7,
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [146, -17],
            [147, -17],
            [147, -16],
            [146, -16],
            [146, -17],
          ],
        ],
      },
      properties: { GBR_NAME: 'Square Reef', LABEL_ID: '16-999' },
    };
    const read = readReefGeojson(
      collection(
        point(146.2, -16.8, { gid: '16-071', name: ' Moore  Reef', type: 'Reef' }, 16071100104),
        point(142.5, -10.7, { gid: '10-330', type: 'Reef' }, 1),
        outline,
      ),
      'gbr',
      '© Somebody',
    );
    expect(read).toMatchObject({
      ok: true,
      found: { skipped: [], outside: 0, unnamed: 1, table: { regionId: 'gbr', attribution: '© Somebody' } },
    });
    expect(read.ok && read.found.table.reefs).toEqual([
      {
        id: '16071100104',
        gid: '16-071',
        name: 'Moore Reef',
        kind: 'Reef',
        position: { latitude: -16.8, longitude: 146.2 },
      },
      { id: '1', gid: '10-330', name: '', kind: 'Reef', position: { latitude: -10.7, longitude: 142.5 } },
      { id: '7', gid: '16-999', name: 'Square Reef', kind: '', position: { latitude: -16.5, longitude: 146.5 } },
    ]);
  });

  it('invalid features are skipped with a reason, and the rest is read', () => {
    const read = readReefGeojson(
      collection(
        point(146, -16, { name: 'A' }, 'a'),
        point(146, -16, { name: 'B' }, 'a'),
        point(146, -96, { name: 'C' }, 'c'),
        point(146, -16, {}, 'd'),
        point(146, -16, { name: 'E' }),
        point('x', -16, { name: 'F' }, 'f'),
        'g',
        null,
        point(146, -16, { name: 'H'.repeat(201) }, 'h'),
        point(20, 50, { name: 'I' }, 'i'),
      ),
      'gbr',
    );
    expect(read.ok && read.found.skipped.map(({ at, why }) => `${at} ${why}`)).toEqual([
      '2 a duplicate id',
      '3 off the earth',
      '4 neither name nor number',
      '5 no id',
      '6 no position',
      '7 no feature',
      '8 no feature',
      '9 a name or id too long',
    ]);
    expect(read.ok && [read.found.table.reefs.length, read.found.outside]).toEqual([2, 1]);
    expect(read.ok && skipReasonsText(read.found.skipped)).toMatch(/^2 with no feature, .*1 off the earth/);
  });

  it.each([
    ['no object', 3, 'not a GeoJSON'],
    ['another JSON', { a: 1 }, 'not a GeoJSON'],
    ['nothing in it', collection(), 'no feature'],
    ['no valid feature', collection(point(146, -96, { name: 'C' }, 'c')), 'None of the 1 features'],
    ['far too many', { type: 'FeatureCollection', features: new Array(50_001).fill(null) }, '50,001 features'],
  ])('%s is refused with a message', (_what, json, words) => {
    expect(readReefGeojson(json, 'gbr')).toEqual({ ok: false, text: expect.stringContaining(words) as string });
  });

  it('a GeoJSON file yields a reef table or a readable error', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              type: fc.constant('Feature'),
              id: fc.jsonValue(),
              geometry: fc.record({ coordinates: fc.jsonValue() }),
              properties: fc.dictionary(fc.constantFrom('gid', 'name', 'type'), fc.jsonValue()),
            }),
          ),
          { maxLength: 12 },
        ),
        (features) => {
          const read = readReefGeojson({ type: 'FeatureCollection', features }, 'hawaii');
          if (!read.ok) {
            expect(read.text).not.toBe('');
            return;
          }
          expect(reefFileSchema.safeParse(reefFileOf(read.found.table)).success).toBe(true);
          expect(read.found.table.reefs.length + read.found.skipped.length).toBe(features.length);
        },
      ),
    );
  });
});

describe('1§9 a position and the bounds of a region', () => {
  it.each([
    [-16.9, 146.2, true, 0],
    [-9.95, 141.65, true, 0],
    [-27.95, 146, false, 315],
    [-16.9, 155.34, false, 106],
    [-16.9, 140.65, false, 106],
  ])('%d, %d in the bounds of gbr: %s, %d km away', (latitude, longitude, isIn, km) => {
    expect(isInBounds({ latitude, longitude }, REGIONS.gbr.mapBounds)).toBe(isIn);
    expect(Math.abs(kmFromBounds({ latitude, longitude }, REGIONS.gbr.mapBounds) - km)).toBeLessThan(2);
  });
});
