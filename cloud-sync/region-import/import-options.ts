import type { RegionId } from '../../src/domain/region/region-id';
import { RASTER_PROJECTIONS } from '../../src/server/map-tiles/raster-tiles';
import { SITE_OPTIONS, type SiteOption } from './site-layers';

const REEFS = 'CSV or GeoJSON; each entry names a reef by id, gid or name, and may add columns';
const SITE_CONTENT: Readonly<Record<SiteOption, string>> = {
  land: 'GeoJSON areas of land; may be given more than once',
  depth200: 'GeoJSON areas of the water below 200 m; needs land; may be given more than once',
  zoning: 'GeoJSON areas with ALT_ZONE, such as "Marine National Park Zone"',
  'key-source': REEFS,
  rubble: 'CSV or GeoJSON points: longitude, latitude, images, probability (percent)',
  cots: REEFS,
  census: REEFS,
  deep: REEFS,
  refugia: REEFS,
};

/** Option of the command: how it is given, the layer that its `--attribution` names, and what its file has. */
interface ImportOption {
  readonly option: string;
  readonly layer: string;
  readonly content: string;
}

/** Options of `npm run region:import`, as its usage and the console show them. */
export const IMPORT_OPTIONS: readonly ImportOption[] = [
  {
    option: '--outlines <file.geojson>',
    layer: 'outlines',
    content: 'GeoJSON areas or points of reefs, each with an id; may be given more than once',
  },
  ...SITE_OPTIONS.map((option) => ({ option: `--${option} <file>`, layer: option, content: SITE_CONTENT[option] })),
  {
    option: '--raster <name>=<picture>',
    layer: '<name>',
    content: `picture with --bounds <name>=<west,south,east,north> in degrees and --projection <name>=${RASTER_PROJECTIONS.join('|')}`,
  },
];

/** A whole command to begin with. */
export function exampleCommand(regionId: RegionId): string {
  return `npm run region:import -- --region ${regionId} --outlines reefs.geojson --attribution outlines="© owner, licence"`;
}

/** Usage of the command, for a terminal. */
export function usage(regionId: RegionId): string {
  const width = Math.max(...IMPORT_OPTIONS.map(({ option }) => option.length)) + 2;
  return [
    `For example: ${exampleCommand(regionId)}`,
    'Each layer needs its --attribution <layer>="© owner, licence". Layers:',
    ...IMPORT_OPTIONS.map(({ option, layer, content }) => `  ${option.padEnd(width)}${content} [${layer}]`),
  ].join('\n');
}
