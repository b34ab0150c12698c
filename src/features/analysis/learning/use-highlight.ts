import { useEffect } from 'react';

/** What of the screen the card speaks of: it stands out there (`data-control` names it). */
export type HighlightTarget = 'classes' | 'pen' | 'fill' | null;

/** Lets a control of the screen stand out for as long as it is meant. */
export function useHighlight(target: HighlightTarget): void {
  useEffect(() => {
    const root = document.documentElement;
    if (target === null) return undefined;
    root.dataset['learn'] = target;
    return () => {
      delete root.dataset['learn'];
    };
  }, [target]);
}
