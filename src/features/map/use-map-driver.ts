import { useEffect, useState } from 'react';
import { hasWebgl } from './webgl';

interface MapDriver {
  remove(): void;
}

/** State of a map whose library loads on first use. */
export type MapState<Driver> =
  | { readonly status: 'reading' }
  | { readonly status: 'drawn'; readonly map: Driver }
  | { readonly status: 'no-webgl' }
  | { readonly status: 'failed' };

/**
 * Creates a map on mount and removes it on unmount.
 * @param create loads the library and makes the map; null if its element is gone by then. Must not change.
 * @param onTheme called after each change of the theme. Must not change.
 */
export function useMapDriver<Driver extends MapDriver>(
  create: () => Promise<Driver | null>,
  onTheme: (map: Driver) => void,
): MapState<Driver> {
  const [state, setState] = useState<MapState<Driver>>({ status: 'reading' });
  useEffect(() => {
    let map: Driver | null = null;
    let disposed = false;
    const themes = new MutationObserver(() => {
      if (map !== null) onTheme(map);
    });
    create().then(
      (created) => {
        if (created === null) return;
        if (disposed) return created.remove();
        map = created;
        themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
        setState({ status: 'drawn', map });
      },
      (error: unknown) => {
        if (disposed) return;
        // Checked only after a failure: a context for the check alone would delay the page.
        if (!hasWebgl()) return setState({ status: 'no-webgl' });
        console.error('The map could not be drawn.', error);
        setState({ status: 'failed' });
      },
    );
    return () => {
      disposed = true;
      themes.disconnect();
      map?.remove();
    };
  }, [create, onTheme]);
  return state;
}
