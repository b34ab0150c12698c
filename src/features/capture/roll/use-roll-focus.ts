import { useEffect, useRef } from 'react';

/**
 * Gives the focus to the roll when what had it is gone: the bar of a selection that ended, or the list of removed photographs
 * whose button went with its last one. `isSelecting` and `showsRemoved` say whether they stand.
 */
export function useRollFocus(scroller: HTMLElement | null, isSelecting: boolean, showsRemoved: boolean): void {
  const isOpen = isSelecting || showsRemoved;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const ended = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (!ended || scroller === null) return undefined;
    // A dialog gives the focus back by itself first, in the second frame after it closed.
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
