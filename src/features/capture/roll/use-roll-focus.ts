import { useEffect, useRef } from 'react';

/** Focuses the roll when its focused bar or dialog closes. */
export function useRollFocus(scroller: HTMLElement | null, isSelecting: boolean, showsRemoved: boolean): void {
  const isOpen = isSelecting || showsRemoved;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const ended = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (!ended || scroller === null) return undefined;
    // A dialog restores the focus first, in the second frame.
    let frame = 0;
    const focusWhenFree = (left: number): void => {
      if (left > 0) frame = requestAnimationFrame(() => focusWhenFree(left - 1));
      else if (document.activeElement === null || document.activeElement === document.body)
        scroller.querySelector<HTMLElement>('[role="listbox"]')?.focus({ preventScroll: true });
    };
    focusWhenFree(4);
    return () => cancelAnimationFrame(frame);
  }, [scroller, isOpen]);
}
