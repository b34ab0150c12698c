import { ANALYSIS_LIMITS, LIMITS, REPORT_LIMITS } from '../limits';
import type { Bounds, DatasetRef, LayerKey, Region } from './region';
import type { RegionId } from './region-id';
import { REGION_IDS } from './region-id';

/** Region-specific configuration; the rest is shared. */
interface RegionSpecifics {
  readonly regionName: string;
  readonly mapBounds: Bounds;
  readonly analysisVersion: number;
  readonly reportingTimeline: Region['reportingTimeline'];
}

/** 1§9 "Reporting timelines"; periods in months run from the first to the last day. */
const REGION_SPECIFICS: Readonly<Record<RegionId, RegionSpecifics>> = {
  gbr: {
    regionName: 'Great Barrier Reef',
    // 1§9, exactly.
    mapBounds: [141.65, -25.12, 154.34, -9.95],
    analysisVersion: ANALYSIS_LIMITS.versionGbr,
    reportingTimeline: { start: { month: 9, day: 1 }, end: { month: 3, day: 1, nextYear: true } },
  },
  redsea: {
    regionName: 'Red Sea',
    // Not specified. From the head of the Gulf of Suez (29°58'N 32°33'E) to Bab-el-Mandeb, the sea's end by the
    // International Hydrographic Organization (12°29'N 43°20'E to 12°40'N 43°30'E); rounded outwards.
    mapBounds: [32.3, 12.4, 43.6, 30.1],
    analysisVersion: ANALYSIS_LIMITS.versionOther,
    reportingTimeline: { start: { month: 4, day: 1 }, end: { month: 11, day: 30 } },
  },
  palmyra: {
    regionName: 'Palmyra Atoll',
    // Not specified. The atoll (5°52'N 162°06'W, The World Factbook) and the refuge's 12 nautical miles around it.
    mapBounds: [-162.3, 5.67, -161.9, 6.07],
    // 1§9 has "others 2.2 or 3.1" without a choice: the Pacific atoll shares the labels-only set with Hawaii.
    analysisVersion: ANALYSIS_LIMITS.versionOtherLabelsOnly,
    reportingTimeline: { start: { month: 4, day: 1 }, end: { month: 6, day: 30 } },
  },
  hawaii: {
    regionName: 'Hawaii',
    // Not specified. Extent of the state: 18°55' to 28°27'N, 154°48' to 178°22'W.
    mapBounds: [-178.37, 18.91, -154.8, 28.45],
    analysisVersion: ANALYSIS_LIMITS.versionHawaii,
    reportingTimeline: { start: { month: 2, day: 1 }, end: { month: 9, day: 30 } },
  },
  moretonbay: {
    regionName: 'Moreton Bay',
    // Not specified. The marine park: 125 km from Caloundra (26°48'S) to the Gold Coast, seawards past Point Lookout
    // (153°33'E) to the edge of Queensland's waters; rounded outwards.
    mapBounds: [152.98, -27.98, 153.65, -26.78],
    analysisVersion: ANALYSIS_LIMITS.versionOther,
    reportingTimeline: { start: { month: 2, day: 1 }, end: { month: 8, day: 31 } },
  },
};

/** GRC1 to GRC6 for 2020 to 2025 (1§9). */
const ROUNDS: readonly DatasetRef[] = Array.from({ length: LIMITS.datasetRounds }, (_, i) => ({
  id: `grc${i + 1}`,
  year: LIMITS.firstDatasetYear + i,
  displayName: `GRC${i + 1}`,
}));

/** "hawaii also has a pilot dataset for 2025" (1§9). */
const HAWAII_PILOT: DatasetRef = { id: 'hawaii-pilot', year: LIMITS.reportingYear, displayName: 'Pilot 2025' };

function configure(regionId: RegionId): Region {
  const isGbr = regionId === 'gbr';
  const isHawaii = regionId === 'hawaii';
  const datasets = isHawaii ? [...ROUNDS, HAWAII_PILOT] : [...ROUNDS];
  return {
    ...REGION_SPECIFICS[regionId],
    regionId,
    mapStyle: 'census',
    reportingMapStyle: 'report',
    mapReefLayer: 'reefs',
    mapValidationLayer: 'validation',
    reefFeatureData: `reefs-${regionId}`,
    expertAnalysisVersion: isGbr ? ANALYSIS_LIMITS.expertVersionGbr : ANALYSIS_LIMITS.expertVersion,
    // 1§6: "gbr and hawaii are active; surveys are open for every region except palmyra".
    isActive: isGbr || isHawaii,
    isSurveyOpen: regionId !== 'palmyra',
    reportingYear: LIMITS.reportingYear,
    analysisYear: isGbr ? LIMITS.analysisYearGbr : LIMITS.analysisYear,
    // Dataset of the reporting year; Hawaii uses its pilot.
    reportingDatasetId: isHawaii ? HAWAII_PILOT.id : `grc${LIMITS.datasetRounds}`,
    polygonFilter: regionId === 'moretonbay' ? LIMITS.polygonFilterMoretonBay : LIMITS.polygonFilter,
    polygonFilterExpert: LIMITS.polygonFilterExpert,
    datasets,
    layers: {
      features: 'features',
      labels: 'labels',
      views: [
        { id: 'standard', displayName: 'Standard View' },
        { id: 'results', displayName: 'Results' },
      ],
      mapLayerToggles: Object.fromEntries(datasets.map(({ id }, i) => [id, togglesFor(regionId, i + 1)])),
    },
    mlAnalysisDir: regionId,
  };
}

/**
 * Layers of a census round. Zones, source reefs and priorities exist for the Great Barrier Reef only. "Priority configs
 * differ by census round (grc3 to grc6)" (3§9) is not specified further: each round adds one.
 */
function togglesFor(regionId: RegionId, round: number): LayerKey[] {
  if (regionId !== 'gbr') return ['surveyedReefs'];
  const priorities: readonly LayerKey[] = ['cotsPriority', 'censusPriority', 'deepReefs', 'hotRefugiaReefs'];
  return [
    'surveyedReefs',
    'zoning',
    'keySourceReefs',
    'rubbleProbability',
    ...priorities.slice(0, Math.max(0, round - REPORT_LIMITS.firstPriorityRound + 1)),
  ];
}

/** Bundled defaults of the five regions, so that a first start works offline. */
export const REGIONS: Readonly<Record<RegionId, Region>> = {
  gbr: configure('gbr'),
  redsea: configure('redsea'),
  palmyra: configure('palmyra'),
  hawaii: configure('hawaii'),
  moretonbay: configure('moretonbay'),
};

export const REGION_LIST: readonly Region[] = REGION_IDS.map((regionId) => REGIONS[regionId]);
