import type { LayerKey } from '../../../domain/region/region';
import type { RegionMeta } from '../../../domain/results/region-meta';
import type { ReferenceLayer } from '../address/report-address';

/** 3§2 "Settings tab": names of the toggles. */
export const LAYER_NAMES: Readonly<Record<LayerKey, string>> = {
  surveyedReefs: 'Surveyed Reefs',
  zoning: 'Zoning',
  keySourceReefs: 'Key Source Reefs',
  rubbleProbability: 'Rubble Probability',
  cotsPriority: 'Cots Priority',
  censusPriority: 'Census Priority',
  deepReefs: 'Deep Reefs',
  hotRefugiaReefs: 'Hot Refugia Reefs',
};

/** Names of the reference layers (ours), and what they show. */
export const REFERENCE_NAMES: Readonly<Record<ReferenceLayer, string>> = {
  raster: 'Map Pictures',
  validation: 'Original Outlines',
};
export const REFERENCE_TEXT: Readonly<Record<ReferenceLayer, string>> = {
  raster: 'Pictures below the reefs, such as coral mapped from satellites.',
  validation: 'Dashed: outlines of reefs as their source has them. Zoom in to compare.',
};

/** Help of a layer that was never imported. */
export const NO_LAYER_DATA = 'No data for this layer yet.';

/** True if the region's map has no such layer; false while its contents are unknown. */
export function isEmptyReference(meta: RegionMeta | null, key: ReferenceLayer): boolean {
  return meta !== null && !meta.layers.some(({ kind }) => kind === key);
}

/** 3§2: text of the warning at the first priority layer, titled "Heads up". */
export const HEADS_UP = {
  title: 'Heads up',
  text: 'This map is statistical, and not all sites are verified. Conditions and hazards change quickly. Stay within legal and personal safety limits.',
  action: 'I understand',
} as const;
