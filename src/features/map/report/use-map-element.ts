import { useEffect, useState } from 'react';
import type { ReportMapDriver } from './report-map';

/** Element at a place of the map, for a portal; null before it is on the map. `at` is compared by identity. */
export function useMapElement(
  map: ReportMapDriver | null,
  at: { readonly longitude: number; readonly latitude: number } | null,
): HTMLElement | null {
  const [element, setElement] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (map === null || at === null) return undefined;
    const created = document.createElement('div');
    const remove = map.addElement(created, at);
    setElement(created);
    return () => {
      remove();
      setElement(null);
    };
  }, [map, at]);
  return element;
}
