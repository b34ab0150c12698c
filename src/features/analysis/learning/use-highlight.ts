import { useEffect } from 'react';

/** Control that is highlighted on screen (`data-control` names it). */
export type HighlightTarget = 'classes' | 'pen' | 'fill' | null;

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
