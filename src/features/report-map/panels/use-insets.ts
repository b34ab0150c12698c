import { useLayoutEffect, useMemo, useState, type RefObject } from 'react';
import type { MapInsets } from '../../map';
import { insetsOf, NO_SIZE, sizeOf, type Size } from './insets';
import { useMedia } from './use-media';

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
    () => insetsOf(drawerSize, figuresSize, { isBesideCard, isPhone }),
    [drawerSize, figuresSize, isBesideCard, isPhone],
  );
}

/** Size of an element before the first frame that has it is drawn, then as it changes. */
function useSize(ref: RefObject<HTMLElement | null>, isThere: boolean): Size {
  const [size, setSize] = useState(NO_SIZE);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!isThere || element === null) {
      setSize(NO_SIZE);
      return undefined;
    }
    const measure = (): void => {
      const now = sizeOf(element);
      setSize((before) =>
        before.height === now.height && before.right === now.right && before.bottom === now.bottom ? before : now,
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, isThere]);
  return size;
}
