import { useEffect, useState } from 'react';
import type { MapLayerMeta } from '../../../domain/results/region-meta';
import { archivesOf, wantedKinds } from './report-text';
import type { ReportMapDriver } from './report-map';
import type { ReportMapProps } from './report-map-props';

const NOT_OPEN = { failures: [], areOpen: false };

/**
 * Opens the archives of the layers that are on, and removes the others.
 * @returns kinds that are on and cannot be read now; `areOpen` once all others are, reefs among them
 */
export function useArchives(
  map: ReportMapDriver | null,
  props: ReportMapProps,
): { readonly failures: readonly string[]; readonly areOpen: boolean } {
  const { meta, layers, locate } = props;
  const [result, setResult] = useState<{ readonly failures: readonly string[]; readonly areOpen: boolean }>(NOT_OPEN);
  useEffect(() => {
    if (map === null || meta === null) return undefined;
    let isCurrent = true;
    const wanted = wantedKinds(layers);
    const open = async ({ kind, name, sha256 }: MapLayerMeta): Promise<string | null> => {
      if (kind === 'results') return null;
      if (!wanted.has(kind)) {
        await map.removeArchive(kind);
        return null;
      }
      const location = await locate(name, sha256 === '' ? undefined : sha256).catch(() => null);
      if (!isCurrent) return null;
      if (location === null) return kind;
      await map.setArchive(kind, name, sha256, location);
      return null;
    };
    void Promise.all(archivesOf(meta).map(open)).then(async (results) => {
      if (!isCurrent) return;
      await map.setPriorities(layers);
      const failures = results.filter((kind) => kind !== null);
      if (isCurrent) setResult({ failures, areOpen: !failures.includes('reefs') });
    });
    return () => {
      isCurrent = false;
    };
  }, [map, meta, layers, locate]);
  return result;
}
