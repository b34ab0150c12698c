import { useEffect } from 'react';

/** What of the screen the card speaks of: it stands out there (`data-control` names it). */
export type Meant = 'classes' | 'pen' | 'fill' | null;

/** Lets a control of the screen stand out for as long as it is meant. */
export function usePointing(meant: Meant): void {
  useEffect(() => {
    const root = document.documentElement;
    if (meant === null) return undefined;
    root.dataset['learn'] = meant;
    return () => {
      delete root.dataset['learn'];
    };
  }, [meant]);
}
