import { REGION_IDS } from '../../../domain/region/region-id';
import type { IconName } from '../../../ui/display/icon-paths';

/** Links of the rail; new ones join this list. You is last. */
export const NAV_ITEMS = [
  { to: '/surveys', icon: 'survey', word: 'Surveys' },
  { to: '/photographs', icon: 'photos', word: 'Photographs' },
  { to: '/analysis', icon: 'pen', word: 'Analyse' },
  { to: '/detailed-reporting/{-$datasetId}/{-$subroute}', icon: 'map', word: 'Map' },
  { to: '/box', icon: 'box', word: 'Box' },
  { to: '/you', icon: 'person', word: 'You' },
] as const satisfies readonly { readonly to: string; readonly icon: IconName; readonly word: string }[];

const OF_REGION = new RegExp(`^/(?:${REGION_IDS.join('|')})(?=/(?:analysis/?$|detailed-reporting(?:/|$)))`);

/** Path of a link without its optional parameters: `/detailed-reporting`. */
export function pathOf(to: (typeof NAV_ITEMS)[number]['to']): string {
  return to.replace(/\/\{.*$/, '');
}

/** True if a path belongs to a link of the rail: one survey belongs to Surveys, `/hawaii/analysis` to Analyse, a region’s report to Map. */
export function isWithin(path: string, place: string): boolean {
  return `${path.toLowerCase().replace(OF_REGION, '')}/`.startsWith(`${place}/`);
}

/** True for a full-screen page with a back link and no rail: analysing a photograph, or a training picture. */
export function isFullScreen(path: string): boolean {
  return /^\/analysis\/(training$|(?!library\/)[^/]+\/.)/.test(path);
}
