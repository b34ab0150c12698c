/** Layers of sites and areas, by the option that names their file. Keys are those of the report (`LayerKey`). */
export const SITE_LAYERS = {
  zoning: 'zoning',
  'key-source': 'keySourceReefs',
  rubble: 'rubbleProbability',
  cots: 'cotsPriority',
  census: 'censusPriority',
  deep: 'deepReefs',
  refugia: 'hotRefugiaReefs',
} as const;
export type SiteOption = keyof typeof SITE_LAYERS;
export const SITE_OPTIONS = Object.keys(SITE_LAYERS) as readonly SiteOption[];

/** Zones in the order of 3§9, as the source's `ALT_ZONE` names them; the index is the `zone` of a tile. */
export const ZONES = [
  'Pink Zone',
  'Green Zone',
  'Orange Zone',
  'Olive Green Zone',
  'Yellow Zone',
  'Dark Blue Zone',
  'Light Blue Zone',
] as const;
