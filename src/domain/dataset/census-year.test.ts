import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REGION_LIST, REGIONS } from '../region/regions';
import { censusYear } from './census-year';
import { datasetsOfDay, overlappingDatasets, overlapText } from './dataset-days';
import { datasetSeeds } from './seeds';

const NOW = '2026-01-01T00:00:00.000Z';
const { gbr, hawaii } = REGIONS;
const year = (startDate: string, endDate: string, region = gbr) =>
  censusYear({ startDate, endDate }, region.reportingTimeline);

describe('1§4 census year', () => {
  it('1§4 a season over New Year is the year in which it begins', () => {
    expect(year('2025-09-01', '2026-03-01')).toBe('2025');
    // With a leap day.
    expect(year('2023-09-01', '2024-03-01')).toBe('2023');
    expect(year('2026-01-05', '2026-02-20')).toBe('2025');
  });

  it('1§4 a dataset longer than a season of its region is "All"', () => {
    expect(year('2020-09-01', '2026-03-01')).toBe('All');
    expect(year('2025-01-01', '2025-12-31')).toBe('All');
    expect(year('2025-04-01', '2025-06-30', REGIONS.palmyra)).toBe('2025');
    expect(year('2025-04-01', '2025-07-01', REGIONS.palmyra)).toBe('All');
  });

  it('1§4 days outside a season belong to the one with most shared days, else to their year', () => {
    expect(year('2025-08-20', '2025-12-01')).toBe('2025');
    expect(year('2025-05-01', '2025-06-01')).toBe('2025');
    expect(year('2025-02-20', '2025-07-01', hawaii)).toBe('2025');
  });

  it('1§9 each seeded round of each region has its own year', () => {
    for (const region of REGION_LIST)
      expect(
        datasetSeeds(region, NOW).map(({ shortName, ...period }) => [
          shortName,
          censusYear(period, region.reportingTimeline),
        ]),
      ).toEqual(region.datasets.map((dataset) => [dataset.displayName, String(dataset.year)]));
    expect(datasetSeeds(gbr, NOW)[5]).toMatchObject({ id: 'grc6', startDate: '2025-09-01', endDate: '2026-03-01' });
    expect(datasetSeeds(hawaii, NOW)[6]).toMatchObject({ startDate: '2025-02-01', endDate: '2025-09-30' });
  });

  it.each([
    ['2025-02-29', '2025-03-01', 'startDate'],
    ['2025-13-01', '2026-03-01', 'startDate'],
    ['yesterday', '2026-03-01', 'startDate'],
    ['2025-09-01', '', 'endDate'],
    ['2025-09-01', '2025-08-31', 'endDate'],
  ])('1§4 dates %s to %s are refused by field', (startDate, endDate, field) => {
    expect(() => year(startDate, endDate)).toThrow(
      expect.objectContaining({ code: 'bad-message', details: { field } }),
    );
  });

  it('1§4 part of a season is never "All", for any season', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...REGION_LIST),
        fc.integer({ min: 2020, max: 2110 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (region, begins, a, b) => {
          const seeds = datasetSeeds({ ...region, datasets: [{ id: 'x', year: begins, displayName: 'X' }] }, NOW);
          const { startDate = '', endDate = '' } = seeds[0] ?? {};
          const span = Date.parse(endDate) - Date.parse(startDate);
          const day = (share: number) => new Date(Date.parse(startDate) + share * span).toISOString().slice(0, 10);
          expect(year(day(Math.min(a, b)), day(Math.max(a, b)), region)).toBe(String(begins));
        },
      ),
    );
  });
});

describe('1§3 datasets of a day', () => {
  const seeds = datasetSeeds(hawaii, NOW);

  it('1§3 a survey belongs to each dataset that holds its day, both ends included', () => {
    const ids = (day: string | null) => datasetsOfDay(seeds, day).map(({ id }) => id);
    expect(ids('2025-02-01')).toEqual(['grc6', 'hawaii-pilot']);
    expect(ids('2025-09-30T23:59:00Z')).toEqual(['grc6', 'hawaii-pilot']);
    expect([ids('2025-10-01'), ids(null), ids('soon')]).toEqual([[], [], []]);
    expect(
      datasetsOfDay(
        seeds.map((seed) => ({ ...seed, isDeleted: seed.id === 'grc6' })),
        '2025-05-01',
      ),
    ).toHaveLength(1);
  });

  it('1§3 datasets may overlap, and the others are named', () => {
    const pilot = seeds[6] as (typeof seeds)[number];
    expect(overlappingDatasets(pilot, seeds).map(({ id }) => id)).toEqual(['grc6']);
    expect(overlapText(pilot, seeds)).toBe(
      'Pilot 2025 overlaps with GRC6 (2025-02-01 to 2025-09-30). Surveys on shared days count in each of them.',
    );
    expect(overlapText(pilot, datasetSeeds(gbr, NOW))).toBeNull();
  });
});
