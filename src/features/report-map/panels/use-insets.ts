import { useEffect, useMemo, useState, type RefObject } from 'react';
import type { MapInsets } from '../../map';
import { useMedia } from './use-media';

/** Width of the reef's card with its distance from the edge, px: `ReportPage.module.css`. */
const CARD_WIDTH = 376;
/** Least width of the page at which a reef is shown between drawer and card. */
const BESIDE_CARD = '(min-width: 1100px) and (min-height: 481px)';

/** Parts of the map that drawer, census panel and the card of the reef cover. */
export function useInsets(
  drawer: RefObject<HTMLElement | null>,
  figures: RefObject<HTMLElement | null>,
  {
    hasDrawer,
    hasCard,
    isPhone,
  }: { readonly hasDrawer: boolean; readonly hasCard: boolean; readonly isPhone: boolean },
): MapInsets {
  const drawerSize = useSize(drawer, hasDrawer);
  const figuresSize = useSize(figures, hasDrawer);
  // Known before the card is there: the map moves to a reef in the moment that it is picked.
  const isBesideCard = useMedia(BESIDE_CARD) && hasCard;
  return useMemo(
    () => ({
      top: figuresSize.bottom,
      right: isBesideCard ? CARD_WIDTH : 0,
      bottom: isPhone ? drawerSize.height : 0,
      left: isPhone ? 0 : drawerSize.right,
    }),
    [drawerSize, figuresSize, isBesideCard, isPhone],
  );
}

interface Size {
  readonly height: number;
  /** Distance of its right and lower edge from those of the page at the left and above; 0 if it is empty. */
  readonly right: number;
  readonly bottom: number;
}

const NO_SIZE: Size = { height: 0, right: 0, bottom: 0 };

function useSize(ref: RefObject<HTMLElement | null>, isThere: boolean): Size {
  const [size, setSize] = useState(NO_SIZE);
  useEffect(() => {
    const element = ref.current;
    if (!isThere || element === null) {
      setSize(NO_SIZE);
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      const { offsetWidth, offsetHeight, offsetLeft, offsetTop } = element;
      setSize(
        offsetHeight === 0
          ? NO_SIZE
          : { height: offsetHeight, right: offsetLeft + offsetWidth, bottom: offsetTop + offsetHeight },
      );
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, isThere]);
  return size;
}
