import { useEffect, useState } from 'react';
import { REPORT_LIMITS } from '../../../domain/limits/reporting';
import type { MapLayerMeta } from '../../../domain/results/region-meta';
import { archivesOf, wantedKinds } from './report-text';
import type { ReportMapDriver } from './report-map';
import type { ArchiveOutcome, FirstArchive } from './report-archives';
import type { ReportMapProps } from './report-map-props';

/** Kinds of archives without which the map is not shown. */
const FIRST_KINDS = ['base', 'reefs'] as const;

/** Opens base map and reefs for a map that is created next, as far as their table is read and files are in reach. */
export async function openFirstArchives(
  { open }: Pick<typeof ReportMapDriver, 'open'>,
  { meta, locate }: Pick<ReportMapProps, 'meta' | 'locate'>,
): Promise<readonly FirstArchive[]> {
  if (meta === null) return [];
  const opened = archivesOf(meta).map(async ({ kind, name, sha256 }): Promise<readonly FirstArchive[]> => {
    const first = FIRST_KINDS.find((each) => each === kind);
    if (first === undefined) return [];
    const location = await locate(name, sha256 === '' ? undefined : sha256).catch(() => null);
    return location === null ? [] : [await open(first, name, sha256, location)];
  });
  // One that cannot be read is left to `useArchives`, which tries again and reports it.
  return (await Promise.allSettled(opened)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

interface Opened {
  readonly failures: readonly string[];
  readonly areOpen: boolean;
}

const NOT_OPEN: Opened = { failures: [], areOpen: false };

/**
 * Opens the archives of the layers that are on, and removes the others. Where the wanted version of one is not in reach,
 * another one is shown, and the wanted one takes its place once a server or this tablet has it.
 * @returns kinds that are on and cannot be read now; `areOpen` once all others are, reefs among them
 */
export function useArchives(map: ReportMapDriver | null, props: ReportMapProps): Opened {
  const { meta, layers, locate } = props;
  const [result, setResult] = useState(NOT_OPEN);
  /** Number of checks for newer archives. */
  const [checks, setChecks] = useState(0);
  useEffect(() => map?.onArchiveReplaced(() => setChecks((n) => n + 1)), [map]);
  useEffect(() => {
    if (map === null || meta === null) return undefined;
    let isCurrent = true;
    let cancelRecheck = (): void => undefined;
    const wanted = wantedKinds(layers);
    const open = async ({ kind, name, sha256 }: MapLayerMeta): Promise<ArchiveOutcome> => {
      if (kind === 'results') return 'current';
      if (!wanted.has(kind)) {
        await map.removeArchive(kind);
        return 'current';
      }
      const location = await locate(name, sha256 === '' ? undefined : sha256).catch(() => null);
      if (!isCurrent) return 'current';
      return location === null ? 'failed' : map.setArchive(kind, name, sha256, location);
    };
    const archives = archivesOf(meta);
    void Promise.all(archives.map(open)).then(async (outcomes) => {
      if (!isCurrent) return;
      await map.setPriorities(layers);
      if (!isCurrent) return;
      const failures = archives.flatMap(({ kind }, n) => (outcomes[n] === 'failed' ? [kind] : []));
      setResult({ failures, areOpen: !failures.includes('reefs') });
      if (outcomes.some((outcome) => outcome !== 'current'))
        cancelRecheck = afterPause(REPORT_LIMITS.archiveRecheckMs, () => setChecks((n) => n + 1));
    });
    return () => {
      isCurrent = false;
      cancelRecheck();
    };
  }, [map, meta, layers, locate, checks]);
  return result;
}

/** Calls back after a pause, ms; while the page is hidden then, once it is seen again. @returns ends it */
export function afterPause(
  ms: number,
  callback: () => void,
  page: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'> = document,
): () => void {
  const settle = (): void => {
    if (page.hidden) return;
    page.removeEventListener('visibilitychange', settle);
    callback();
  };
  const timer = setTimeout(() => {
    page.addEventListener('visibilitychange', settle);
    settle();
  }, ms);
  return () => {
    clearTimeout(timer);
    page.removeEventListener('visibilitychange', settle);
  };
}
