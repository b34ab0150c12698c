import { useEffect, useRef, useState } from 'react';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import { labelStats } from '../../domain/analysis/labelling/label-stats';
import type { Labelling } from '../../domain/analysis/labelling/labelling';
import { labelCover } from './label-cover';

/**
 * Fraction of the picture that has a label, counted on the raster as for the record (`stats.coverage`): the previous
 * one while a count runs; null before the first and for public versions, which do not show it.
 */
export function useLabelCoverage(labelling: Labelling, { width, height }: OutlineSet): number | null {
  const [coverage, setCoverage] = useState<number | null>(null);
  /** Newest state; edits during a count are counted together after it. */
  const wanted = useRef<Labelling | null>(null);
  const isRunning = useRef(false);
  useEffect(() => {
    if (!labelling.version.isExpert) return;
    wanted.current = labelling;
    if (isRunning.current) return;
    isRunning.current = true;
    const count = async (): Promise<void> => {
      for (let counted = wanted.current; counted !== null; counted = wanted.current) {
        const cover = await labelCover(counted, { width, height });
        setCoverage(labelStats(counted, cover, []).coverage);
        if (wanted.current === counted) wanted.current = null;
      }
    };
    count()
      .catch((error: unknown) => {
        wanted.current = null;
        setCoverage(null);
        console.warn('The coverage could not be counted; the next label tries again:', error);
      })
      .finally(() => (isRunning.current = false));
  }, [labelling, width, height]);
  return coverage;
}
