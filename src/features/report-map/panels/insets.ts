import type { MapInsets } from '../../map';

/** Width of the reef's card with its distance from the edge, px: `ReportPage.module.css`. */
const CARD_WIDTH = 376;

export interface Size {
  readonly height: number;
  /** Distance of its right and lower edge from those of the page at the left and above; 0 if it is empty. */
  readonly right: number;
  readonly bottom: number;
}

export const NO_SIZE: Size = { height: 0, right: 0, bottom: 0 };

export function sizeOf({ offsetWidth, offsetHeight, offsetLeft, offsetTop }: HTMLElement): Size {
  return offsetHeight === 0
    ? NO_SIZE
    : { height: offsetHeight, right: offsetLeft + offsetWidth, bottom: offsetTop + offsetHeight };
}

/**
 * Parts of the map that panels cover.
 * @param figures the census panel
 */
export function insetsOf(
  drawer: Size,
  figures: Size,
  { isBesideCard, isPhone }: { readonly isBesideCard: boolean; readonly isPhone: boolean },
): MapInsets {
  return {
    top: figures.bottom,
    right: isBesideCard ? CARD_WIDTH : 0,
    bottom: isPhone ? drawer.height : 0,
    left: isPhone ? 0 : drawer.right,
  };
}
