import type { Region } from '../../../domain/region/region';
import type { RegionId } from '../../../domain/region/region-id';
import { closedRegionText } from '../../../domain/survey/log';

/** Regions open for surveys (1§6: surveys are open for every region except palmyra). */
export function openRegions(
  regions: readonly Region[],
): readonly { readonly value: RegionId; readonly label: string }[] {
  return regions
    .filter(({ isSurveyOpen }) => isSurveyOpen)
    .map(({ regionId, regionName }) => ({ value: regionId, label: regionName }));
}

/** Closed regions in a sentence; undefined if all are open. */
export function closedRegionsText(regions: readonly Region[]): string | undefined {
  const words = regions.flatMap((region) => closedRegionText(region) ?? []);
  return words.length === 0 ? undefined : words.join(' ');
}
