import { REGION_LIST } from '../../../domain/region/regions';
import { closedRegionText } from '../../../domain/survey/log';

/** The regions that a survey may lie in (1§6: surveys are open for every region except palmyra). */
export const OPEN_REGIONS = REGION_LIST.filter(({ isSurveyOpen }) => isSurveyOpen).map(({ regionId, regionName }) => ({
  value: regionId,
  label: regionName,
}));

/** Which regions cannot be chosen, said plainly; undefined where all can. */
export function closedRegionsText(): string | undefined {
  const words = REGION_LIST.flatMap(({ regionId }) => closedRegionText(regionId) ?? []);
  return words.length === 0 ? undefined : words.join(' ');
}
