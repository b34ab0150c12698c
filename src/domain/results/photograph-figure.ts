import type { CoverShares } from './cover';

/** Consensus of a photograph as it enters the result of its survey, reef and dataset. */
export interface PhotographFigure {
  readonly imageId: string;
  readonly surveyId: string;
  /** Posterior mean of the shares of the whole picture. */
  readonly shares: CoverShares;
  /** Posterior variance of each share. */
  readonly variances: CoverShares;
  /** Analysts whose latest analysis counts. */
  readonly analysts: readonly string[];
  /** A bad photograph (2§1) counts in no cover. */
  readonly isBad: boolean;
  /** Agreement of the analysts, 0..1, weighted by area. */
  readonly agreement: number;
  /** True if the class set of an analysis has rubble: only then does it count in a rubble site. Default: false. */
  readonly hasRubble?: boolean;
}
