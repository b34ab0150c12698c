import { lazyRepository } from '../lazy-repository';
import type { RepositoryContext } from '../repository-context';
import type { OpenReportRepository, ReportRepositoryOptions } from './open-report-repository';
import type { ReportRepository } from './types';

/** Report, whose code loads on first use: a tablet that only captures never needs it. */
export interface ReportDoor {
  /** Opens it once; a failed load is repeated by the next call. */
  readonly open: () => Promise<ReportRepository>;
}

export function createReportRepository(
  parts: RepositoryContext,
  options: ReportRepositoryOptions,
): ReportDoor & { readonly close: () => void } {
  const lazy = lazyRepository<OpenReportRepository>(async () =>
    (await import('./open-report-repository')).openReportRepository(parts, options),
  );
  return { open: lazy.load, close: () => lazy.dispose((ready) => ready.close()) };
}
