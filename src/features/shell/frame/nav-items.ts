import type { IconName } from '../../../ui/display/icon-paths';

/** The places of the rail that exist; further ones join this list. You stands last. */
export const NAV_ITEMS = [
  { to: '/surveys', icon: 'survey', word: 'Surveys' },
  { to: '/photographs', icon: 'photos', word: 'Photographs' },
  { to: '/analysis', icon: 'pen', word: 'Analyse' },
  { to: '/box', icon: 'box', word: 'Box' },
  { to: '/you', icon: 'person', word: 'You' },
] as const satisfies readonly { readonly to: string; readonly icon: IconName; readonly word: string }[];

/** Whether a path belongs to a place of the rail: one survey belongs to Surveys. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** Whether a path is a screen of its own, with a way back and no rail: a photograph that is analysed, or a picture to learn on. */
export function isFullScreen(path: string): boolean {
  return /^\/analysis\/(training$|(?!library\/)[^/]+\/.)/.test(path);
}
