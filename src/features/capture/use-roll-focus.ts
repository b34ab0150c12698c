import { useEffect, useRef } from 'react';

/**
 * Gives the focus to the roll when what had it is gone: the bar of a selection that ended, or the list of removed photographs
 * whose button went with its last one. `isSelecting` and `showsRemoved` say whether they stand.
 */
export function useRollFocus(scroller: HTMLElement | null, isSelecting: boolean, showsRemoved: boolean): void {
  const stands = isSelecting || showsRemoved;
  const before = useRef(stands);
  useEffect(() => {
    const ended = before.current && !stands;
    before.current = stands;
    if (!ended || scroller === null) return undefined;
    // A dialog gives the focus back by itself first, in the second frame after it closed.
    let frame = 0;
    const look = (left: number): void => {
      if (left > 0) frame = requestAnimationFrame(() => look(left - 1));
      else if (document.activeElement === null || document.activeElement === document.body)
        scroller.querySelector<HTMLElement>('[role="listbox"]')?.focus({ preventScroll: true });
    };
    look(4);
    return () => cancelAnimationFrame(frame);
  }, [scroller, stands]);
}
