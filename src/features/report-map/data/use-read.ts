import { useMemo } from 'react';
import type { ReportObservable, ReportRead, ReportRepository } from '../../../data/repositories';
import { useObservable } from '../../shell';

const READING: ReportRead<never> = { status: 'reading', value: null, asOf: null };
/** Before the tablet's data is open. */
const NOTHING: ReportObservable<never> = { get: () => READING, subscribe: () => () => undefined };

/**
 * Answer of the report's repository; `reading` while that is null or `choose` returns null.
 *
 * @param deps what `choose` depends on besides the repository
 */
export function useRead<Value>(
  report: ReportRepository | null,
  choose: (report: ReportRepository) => ReportObservable<Value> | null,
  deps: readonly unknown[],
): ReportRead<Value> {
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the caller names what its function reads
  const observable = useMemo(() => (report === null ? null : choose(report)), [report, ...deps]);
  return useObservable<ReportRead<Value>>(observable ?? NOTHING);
}
