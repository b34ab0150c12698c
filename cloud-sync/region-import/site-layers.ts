import { REPORT_LIMITS } from '../../src/domain/limits/reporting';

/**
 * Layers of sites and areas, by the option that names their file. Keys are those of the report (`LayerKey`), and of the
 * base map.
 */
export const SITE_LAYERS = {
  land: 'land',
  depth200: 'depth200',
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

/** Layers of areas; those of the base map may come in several files, such as land and minor islands. */
const AREA_OPTIONS: ReadonlySet<string> = new Set<SiteOption>(['land', 'depth200', 'zoning']);
const BASE_OPTIONS: ReadonlySet<string> = new Set<SiteOption>(['land', 'depth200']);
export const isAreaOption = (option: SiteOption): boolean => AREA_OPTIONS.has(option);
export const isBaseOption = (option: SiteOption): boolean => BASE_OPTIONS.has(option);

/** Zones in the order of 3§9, as the source's `ALT_ZONE` names them; the index is the `zone` of a tile. */
export const ZONES: readonly string[] = REPORT_LIMITS.zones.map((colour) => `${colour} Zone`);
