import { describe, expect, it } from 'vitest';
import { LIMITS } from '../limits';
import { regionSchema } from './region';
import { regionNamed } from './region-id';
import { REGION_LIST, REGIONS } from './regions';
import { withStaffChanges } from './staff-regions';

const by = <T>(pick: (region: (typeof REGION_LIST)[number]) => T) =>
  Object.fromEntries(REGION_LIST.map((region) => [region.regionId, pick(region)]));

describe('1§3 region config', () => {
  it.each(REGION_LIST)('1§3, 3§3 $regionId passes its own schema and retains an unknown field', (region) => {
    expect(regionSchema.parse({ ...region, later: 1 })).toEqual({ ...region, later: 1 });
  });

  it('1§1 there are five regions, gbr first', () => {
    expect(by((region) => region.regionName)).toEqual({
      gbr: 'Great Barrier Reef',
      redsea: 'Red Sea',
      palmyra: 'Palmyra Atoll',
      hawaii: 'Hawaii',
      moretonbay: 'Moreton Bay',
    });
  });

  it('1§6 gbr and hawaii are active, and surveys are open everywhere except at palmyra', () => {
    expect(REGION_LIST.filter(({ isActive }) => isActive).map(({ regionId }) => regionId)).toEqual(['gbr', 'hawaii']);
    expect(REGION_LIST.filter(({ isSurveyOpen }) => !isSurveyOpen).map(({ regionId }) => regionId)).toEqual([
      'palmyra',
    ]);
  });

  it('1§9 analysis versions, polygon filters and years have the specified values', () => {
    expect(REGIONS.gbr).toMatchObject({
      analysisVersion: 2.4,
      expertAnalysisVersion: 4,
      analysisYear: 2024,
      reportingYear: 2025,
    });
    expect(REGIONS.hawaii).toMatchObject({
      analysisVersion: 3.2,
      expertAnalysisVersion: 5,
      analysisYear: 2025,
      reportingYear: 2025,
    });
    for (const region of [REGIONS.redsea, REGIONS.palmyra, REGIONS.moretonbay]) {
      expect([2.2, 3.1]).toContain(region.analysisVersion);
      expect(region).toMatchObject({ expertAnalysisVersion: 5, analysisYear: 2025, reportingYear: 2025 });
    }
    expect(by(({ polygonFilter }) => polygonFilter)).toEqual({
      gbr: { minSize: 0.005, maxSize: 1 },
      redsea: { minSize: 0.005, maxSize: 1 },
      palmyra: { minSize: 0.005, maxSize: 1 },
      hawaii: { minSize: 0.005, maxSize: 1 },
      moretonbay: { minSize: 0.004, maxSize: 1 },
    });
    for (const region of REGION_LIST) expect(region.polygonFilterExpert).toEqual({ minSize: 0.001, maxSize: 0.7 });
  });

  it('1§9 reporting timelines have the specified dates', () => {
    expect(by(({ reportingTimeline }) => reportingTimeline)).toEqual({
      gbr: { start: { month: 9, day: 1 }, end: { month: 3, day: 1, nextYear: true } },
      redsea: { start: { month: 4, day: 1 }, end: { month: 11, day: 30 } },
      palmyra: { start: { month: 4, day: 1 }, end: { month: 6, day: 30 } },
      hawaii: { start: { month: 2, day: 1 }, end: { month: 9, day: 30 } },
      moretonbay: { start: { month: 2, day: 1 }, end: { month: 8, day: 31 } },
    });
  });

  it('1§9 datasets are GRC1 to GRC6 for 2020 to 2025, and hawaii also has a pilot for 2025', () => {
    const rounds = [2020, 2021, 2022, 2023, 2024, 2025].map((year, i) => ({
      id: `grc${i + 1}`,
      year,
      displayName: `GRC${i + 1}`,
    }));
    expect(REGIONS.gbr.datasets).toEqual(rounds);
    expect(REGIONS.hawaii.datasets.slice(0, 6)).toEqual(rounds);
    expect(REGIONS.hawaii.datasets.slice(6)).toMatchObject([{ year: 2025 }]);
    for (const region of REGION_LIST) expect(region.datasets.map(({ id }) => id)).toContain(region.reportingDatasetId);
  });

  it('1§9 bounds of gbr are exact, and all bounds are ordered and on the earth', () => {
    expect(REGIONS.gbr.mapBounds).toEqual([141.65, -25.12, 154.34, -9.95]);
    for (const {
      mapBounds: [west, south, east, north],
    } of REGION_LIST) {
      expect(west).toBeLessThan(east);
      expect(south).toBeLessThan(north);
      expect(Math.max(Math.abs(south), Math.abs(north))).toBeLessThanOrEqual(90);
      expect(Math.max(Math.abs(west), Math.abs(east))).toBeLessThanOrEqual(180);
    }
  });

  it('3§2 surveyed reefs are always offered; 3§9 priorities begin with grc3', () => {
    const { mapLayerToggles } = REGIONS.gbr.layers;
    expect(mapLayerToggles['grc2'] ?? []).not.toContain('cotsPriority');
    expect(mapLayerToggles['grc3']).toContain('cotsPriority');
    expect(mapLayerToggles['grc6']).toContain('hotRefugiaReefs');
    for (const { datasets, layers } of REGION_LIST)
      for (const { id } of datasets) expect(layers.mapLayerToggles[id]).toContain('surveyedReefs');
  });
});

describe('1§3 regions that staff changed', () => {
  it('1§3 a valid field replaces the bundled one, and a mistake costs one field', () => {
    const changed = withStaffChanges(REGION_LIST, [
      { id: 'palmyra', isSurveyOpen: true, regionName: 7, mapBounds: [1, 2, 3], isActive: true, later: 1 },
      { id: 'any', regionId: 'hawaii', reportingYear: 2026 },
      { id: 'atlantis', isSurveyOpen: true },
      'nothing',
      null,
    ]);
    expect(changed).toEqual(
      REGION_LIST.map((region) => ({
        ...region,
        ...(region.regionId === 'palmyra' ? { isSurveyOpen: true, isActive: true } : {}),
        ...(region.regionId === 'hawaii' ? { reportingYear: 2026 } : {}),
      })),
    );
    for (const documents of [undefined, null, {}, 'text', []])
      expect(withStaffChanges(REGION_LIST, documents)).toEqual(REGION_LIST);
  });
});

describe('1§3 bounds of a region', () => {
  it.each([
    [[141, -25, 154, -10], true],
    [[154, -25, 141, -10], false],
    [[141, -10, 154, -25], false],
    [[141, -91, 154, -10], false],
    [[141, -90, 154, -10], false],
    [[141, -85, 154, 85], true],
    [[141, -25, 181, -10], false],
    [[178, -25, -178, -10], false],
    [[141, -25, 141, -10], false],
    [[141, -10.004, 154, -10], false],
    [[141, -25, 154], false],
    [[141, -25, 154, null], false],
  ])('1§3 staff can set %j: %s, as a chart cannot draw others', (mapBounds, isValid) => {
    const [gbr] = withStaffChanges(REGION_LIST, [{ id: 'gbr', mapBounds }]);
    expect(gbr?.mapBounds).toEqual(isValid ? mapBounds : REGIONS.gbr.mapBounds);
  });
});

describe('1§2 the region of a URL', () => {
  it.each([
    ['hawaii', 'redsea', 'hawaii'],
    [undefined, 'redsea', 'redsea'],
    [undefined, undefined, null],
    ['atlantis', 'palmyra', 'palmyra'],
    ['atlantis', 'atlantis', null],
    [undefined, ['moretonbay', 'gbr'], 'moretonbay'],
    ['Hawaii', 'redsea', 'hawaii'],
    [undefined, 'GBR', 'gbr'],
    ['constructor', '__proto__', null],
    [{}, 7, null],
  ])('1§2 parameter %j, query %j: %s', (param, query, expected) => {
    expect(regionNamed(param, query)).toBe(expected);
  });
});

describe('1§9 constants', () => {
  it('1§9 the foundation constants are exact', () => {
    expect(LIMITS).toMatchObject({
      retries: 3,
      retryFirstDelayMs: 1000,
      functionTimeoutMs: 540_000,
      topList: 50,
      organisationSearch: 5,
      batchIn: 30,
      mlCandidates: 3,
      surveyPriorityMin: 1,
      surveyPriorityMax: 5,
      mlAnalysisCountMax: 4,
      receiptTimeoutMs: 30_000,
      reconnectDelayMs: 5000,
      reconnectDelayMaxMs: 25_000,
      logHistory: 100,
      idLengthMin: 12,
      idLengthMax: 19,
      clusterThresholds: [100, 750],
      queryLimit: 10,
      connectivityRetryMaxMs: 30_000,
      persistedParts: ['featureFlags', 'survey', 'region'],
    });
  });
});
