import { useCallback, useEffect } from 'react';
import type { UsageRepository } from '../../../data/repositories';

/**
 * Notes events of use on one photograph (2§7 "Analytics events"); its opening is the first.
 * @param usage undefined: nothing is noted, as on a practice picture
 */
export function useUsage(usage: UsageRepository | undefined): (event: string) => void {
  const note = useCallback((event: string) => usage?.note(event), [usage]);
  useEffect(() => note('analysis'), [note]);
  return note;
}
