import { useLayoutEffect, useState, type RefObject } from 'react';

/** Height of a sticky element, px; 0 if it scrolls along. */
export function useStickyHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const current = element.current;
    if (current === null) return undefined;
    const measure = (): void => setHeight(getComputedStyle(current).position === 'sticky' ? current.offsetHeight : 0);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return height;
}
