import type { LayerKey } from '../../../domain/region/region';

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

/** 3§2: text of the warning at the first priority layer, titled "Heads up". */
export const HEADS_UP = {
  title: 'Heads up',
  text: 'This map is statistical, and not all sites are verified. Conditions and hazards change quickly. Stay within legal and personal safety limits.',
  action: 'I understand',
} as const;
