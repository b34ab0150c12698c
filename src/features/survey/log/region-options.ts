import { REGION_LIST } from '../../../domain/region/regions';
import { closedRegionText } from '../../../domain/survey/log';

/** Regions open for surveys (1§6: surveys are open for every region except palmyra). */
export const OPEN_REGIONS = REGION_LIST.filter(({ isSurveyOpen }) => isSurveyOpen).map(({ regionId, regionName }) => ({
  value: regionId,
  label: regionName,
}));

/** Closed regions in a sentence; undefined if all are open. */
export function closedRegionsText(): string | undefined {
  const words = REGION_LIST.flatMap(({ regionId }) => closedRegionText(regionId) ?? []);
  return words.length === 0 ? undefined : words.join(' ');
}
