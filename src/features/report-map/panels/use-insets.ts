import { useEffect, useMemo, useState, type RefObject } from 'react';
import type { MapInsets } from '../../map';

/** Height of the census panel with its distance from the edge, and of its line for the active reef, px. */
const CENSUS_HEIGHT = 80;
const ACTIVE_REEF_HEIGHT = 32;

/** Parts of the map that drawer and census panel cover. */
export function useInsets(
  drawer: RefObject<HTMLElement | null>,
  {
    hasDrawer,
    hasCensus,
    hasReef,
    isPhone,
  }: { readonly hasDrawer: boolean; readonly hasCensus: boolean; readonly hasReef: boolean; readonly isPhone: boolean },
): MapInsets {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = drawer.current;
    if (!hasDrawer || element === null) {
      setSize({ width: 0, height: 0 });
      return undefined;
    }
    const observer = new ResizeObserver(() =>
      setSize({ width: element.offsetWidth + element.offsetLeft, height: element.offsetHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [drawer, hasDrawer]);
  const { width, height } = size;
  return useMemo(
    () => ({
      top: hasCensus ? CENSUS_HEIGHT + (hasReef ? ACTIVE_REEF_HEIGHT : 0) : 0,
      right: 0,
      bottom: isPhone ? height : 0,
      left: isPhone ? 0 : width,
    }),
    [width, height, hasCensus, hasReef, isPhone],
  );
}
