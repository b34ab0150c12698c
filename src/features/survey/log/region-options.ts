import type { RegionRepository } from '../../../data/repositories';
import type { Region } from '../../../domain/region/region';
import type { RegionId } from '../../../domain/region/region-id';
import { REGION_LIST } from '../../../domain/region/regions';
import { closedRegionText } from '../../../domain/survey/log';
import { useObservable } from '../../shell';

/** Regions with what staff changed; the bundled ones until that is read. */
export function useRegions(regions: RegionRepository): readonly Region[] {
  const { items } = useObservable(regions.all);
  return items.length === 0 ? REGION_LIST : items;
}

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
