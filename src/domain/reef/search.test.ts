import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceKm } from '../position/geo-point';
import { formatDistance, nearest } from './nearest';
import { reefFileOf, reefFileSchema, tableOf, type Reef } from './reef';
import { reefLabel } from './reef-label';
import { plainText } from './plain-text';
import { editDistance, labelledReef, reefIndex, searchReefs } from './search';

const reef = (gid: string, name: string, latitude: number, longitude: number, kind = 'Reef'): Reef => ({
  id: `${gid}/${name}`,
  gid,
  name,
  kind,
  position: { latitude, longitude },
});
const REEFS: readonly Reef[] = [
  reef('16-071', 'Moore Reef', -16.874, 146.213),
  reef('16-068', 'Thetford Reef', -16.8, 146.19),
  reef('11-093', 'Turtle Island Reef', -11.6, 143.0),
  reef('20-019', 'Turtle Island Reef', -20.1, 148.9),
  reef('14-014', 'Great Detached Reef (No 6)', -11.7, 144.0),
  reef('10-330', '', -10.78, 142.59),
  reef('16-007', 'Île d’Éclair', -16.1, 145.9, 'Island'),
  reef('16-0711', 'Little Moore Patch', -16.9, 146.3),
];
const index = reefIndex(REEFS);
const find = (query: string, near?: { latitude: number; longitude: number }) =>
  searchReefs(index, { query, near, limit: 5 }).map(({ gid }) => gid);

describe('3§3 reef feature: search by name and number', () => {
  it.each([
    ['moore', ['16-071', '16-0711']],
    ['MOORE reef', ['16-071']],
    ['reef moore', ['16-071']],
    ['mo', ['16-071', '16-0711']],
    ['mroore', ['16-071', '16-0711']],
    ['thetfrod', ['16-068']],
    ['tetford ref', ['16-068']],
    ['eclair', ['16-007']],
    ['ile d’eclair', ['16-007']],
    ['detached 6', ['14-014']],
    ['16-071', ['16-071', '16-0711']],
    ['16071', ['16-071', '16-0711']],
    ['16 71', ['16-071']],
    ['16-7', ['16-007']],
    ['16-07', ['16-007', '16-071', '16-0711']],
    ['10-330', ['10-330']],
    ['moore 16-071', ['16-071', '16-0711']],
    ['Moore Reef 16-071', ['16-071']],
    ['zzzz', []],
    ['', []],
    ['mo re', ['16-071']],
  ])('%s', (query, gids) => {
    expect(find(query).slice(0, Math.max(1, gids.length))).toEqual(gids);
  });

  it('text without accents is normalised as text with them', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(plainText(`É ${text}`)).toBe(`e ${plainText(text)}`.trim());
      }),
    );
  });

  it('of equal names the nearer reef comes first, and an empty query lists the nearest', () => {
    expect(find('turtle', { latitude: -20, longitude: 149 })).toEqual(['20-019', '11-093']);
    expect(find('turtle', { latitude: -11, longitude: 143 })).toEqual(['11-093', '20-019']);
    expect(find('', { latitude: -16.87, longitude: 146.21 })[0]).toBe('16-071');
  });

  it('the best matches stand alone, and those near the vessel come first', () => {
    expect(find('moore')).toEqual(['16-071', '16-0711']);
    expect(find('thetford')).toEqual(['16-068']);
    // All begin with it; only one is near.
    expect(find('t', { latitude: -11, longitude: 143 })).toEqual(['11-093', '16-068', '20-019']);
    expect(find('mo', { latitude: -16.9, longitude: 146.3 })).toEqual(['16-071', '16-0711']);
    expect(find('eef', { latitude: -20, longitude: 149 })[0]).toBe('20-019');
  });

  it('typed text names a reef only as its whole label', () => {
    expect(labelledReef(index, ' Moore Reef 16-071 ')?.gid).toBe('16-071');
    for (const typed of ['Moore Reef', 'moore reef 16-071', '16-071', ''])
      expect(labelledReef(index, typed)).toBeNull();
  });

  it('a reef is found by any word with one letter wrong, missing, added or swapped', () => {
    const word = fc.constantFrom('thetford', 'turtle', 'detached', 'island');
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('change', 'drop', 'add', 'swap'), (whole, at, how) => {
        const i = 1 + (at % (whole.length - 1));
        const bent = {
          change: `${whole.slice(0, i)}q${whole.slice(i + 1)}`,
          drop: whole.slice(0, i) + whole.slice(i + 1),
          add: `${whole.slice(0, i)}q${whole.slice(i)}`,
          swap: whole.slice(0, i - 1) + (whole[i] ?? '') + (whole[i - 1] ?? '') + whole.slice(i + 1),
        }[how];
        const found = searchReefs(index, { query: bent, limit: 8 });
        expect(
          found.some(({ name }) => plainText(name).includes(whole)),
          bent,
        ).toBe(true);
      }),
    );
  });

  it('any query yields at most the limit and no reef twice', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 8 }), (query, limit) => {
        const found = searchReefs(index, { query, limit, near: { latitude: 0, longitude: 0 } });
        expect(found.length).toBeLessThanOrEqual(limit);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  it('edit distance is measured against the beginning of a word', () => {
    expect([
      editDistance('moor', 'moore', 1),
      editDistance('mor', 'moore', 1),
      editDistance('mroo', 'moore', 1),
      editDistance('xxxx', 'moore', 1),
    ]).toEqual([0, 1, 1, Infinity]);
  });
});

describe('3§3 reef feature: search by position, and the stored table', () => {
  it('the nearest reefs come first, with their distance', () => {
    const [first, second] = nearest(REEFS, { latitude: -16.874, longitude: 146.213 }, 2);
    expect([first?.reef.gid, first?.km, second?.reef.gid]).toEqual(['16-071', 0, '16-068']);
    expect(second?.km).toBeCloseTo(8.58, 1);
    expect(nearest(REEFS, { latitude: 0, longitude: 0 }, 0)).toEqual([]);
  });

  it('the nearest reef equals a full comparison, also across the date line', () => {
    const place = fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), place, (places, here) => {
        const reefs = places.map((position, i) => ({ id: String(i), gid: '', name: '', kind: '', position }));
        expect(nearest(reefs, here, 1)[0]?.km).toBe(Math.min(...places.map((there) => distanceKm(here, there))));
      }),
    );
    expect(distanceKm({ latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 })).toBeCloseTo(22.2, 0);
  });

  it('a table round-trips through its file, positions to a metre', () => {
    const file = reefFileSchema.parse(
      JSON.parse(JSON.stringify(reefFileOf({ regionId: 'gbr', attribution: 'made here', reefs: REEFS }))),
    );
    expect(tableOf(file)).toEqual({ regionId: 'gbr', attribution: 'made here', reefs: REEFS });
  });

  it.each([
    ['columns of two lengths', { name: ['Moore Reef', 'x'] }],
    ['a place off the earth', { at: [-91, 0] }],
    ['an unknown kind', { kind: [3] }],
    ['another version', { v: 2 }],
  ])('a file with %s is refused', (_what, wrong) => {
    const file = reefFileOf({ regionId: 'gbr', attribution: '', reefs: REEFS.slice(0, 1) });
    expect(reefFileSchema.safeParse({ ...file, ...wrong }).success).toBe(false);
  });

  it('a reef label and its distance are formatted', () => {
    expect([REEFS[0], REEFS[5]].map((each) => reefLabel(each!))).toEqual(['Moore Reef 16-071', 'Reef 10-330']);
    expect([0.02, 0.7, 3.44, 119.6, 4321].map(formatDistance)).toEqual([
      'under 100 m',
      '700 m',
      '3.4 km',
      '120 km',
      '4,321 km',
    ]);
  });
});
