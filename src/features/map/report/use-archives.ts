import { useEffect, useState } from 'react';
import type { MapLayerMeta } from '../../../domain/results/region-meta';
import { archivesOf, wantedKinds } from './report-text';
import type { ReportMapDriver } from './report-map';
import type { OpenArchive, ReportMapProps } from './report-map-props';

/** Kinds of archives without which the map is not shown. */
const FIRST_KINDS = ['base', 'reefs'] as const;

/** Opens base map and reefs for a map that is created next, as far as their table is read and files are in reach. */
export async function openFirstArchives(
  { open }: Pick<typeof ReportMapDriver, 'open'>,
  { meta, locate }: Pick<ReportMapProps, 'meta' | 'locate'>,
): Promise<readonly OpenArchive[]> {
  if (meta === null) return [];
  const opened = archivesOf(meta).map(async ({ kind, name, sha256 }): Promise<readonly OpenArchive[]> => {
    const first = FIRST_KINDS.find((each) => each === kind);
    if (first === undefined) return [];
    const location = await locate(name, sha256 === '' ? undefined : sha256).catch(() => null);
    return location === null ? [] : [await open(first, name, sha256, location)];
  });
  // One that cannot be read is left to `useArchives`, which tries again and reports it.
  return (await Promise.allSettled(opened)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

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
