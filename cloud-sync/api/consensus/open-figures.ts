import type pg from 'pg';
import type { Logger } from 'pino';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { FeedFollower } from '../feed/feed-follower';
import type { PgAppendStore } from '../store/pg-append-store';
import { BrokenFigures } from './queue/broken-figures';
import { ConsensusThread } from './thread/consensus-thread';
import { followFigures } from './queue/figure-follower';
import { FigureJobs } from './figure-jobs';
import type { FigureKind, QueuedFigure } from './queue/figure-queue';
import { FigureQueue } from './queue/figure-queue';
import { NightlyRenewal } from './skill/nightly-renewal';
import { PhotographFigures } from './photographs/photograph-figures';
import { ReefFigures } from './results/reef-figures';
import { Releases } from './publication/releases';
import { ResultFiles } from './publication/result-files';
import { SkillVersions } from './skill/skill-versions';
import { SurveyFigures } from './results/survey-figures';

interface FigureParts {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'changes' | 'onCommit'>;
  /** True if demo surveys count. */
  readonly isDemoMode: boolean;
  /** Publishes the contents list of a region. */
  readonly publishMeta: (regionId: string) => Promise<void>;
  /** Photographs of a batch; by default 5,000 (2§9). */
  readonly batchSize?: number | undefined;
  /** Thread that computes photographs; for tests. */
  readonly thread?: ConsensusThread | undefined;
  /** Queues a job that computes figures; for tests. */
  readonly requestJob?: ((delayS: number) => Promise<void>) | undefined;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Figures of the census, and what keeps them current. */
export interface FigureServices {
  readonly figureJobs: FigureJobs;
  readonly figureFollower: FeedFollower;
  readonly skillVersions: SkillVersions;
  readonly brokenFigures: BrokenFigures;
  readonly nightlyRenewal: NightlyRenewal;
  readonly closeFigures: () => Promise<void>;
}

export function openFigures(parts: FigureParts): FigureServices {
  const { pool, store, isDemoMode, publishMeta, clock, log } = parts;
  const queue = new FigureQueue(pool);
  const thread = parts.thread ?? new ConsensusThread();
  const skills = new SkillVersions(pool);
  const batchSize = parts.batchSize ?? ANALYSIS_LIMITS.batchImages;
  const photographs = new PhotographFigures({ pool, queue, thread, skills, isDemoMode, batchSize });
  const surveys = new SurveyFigures({ pool, queue, isDemoMode });
  const reefs = new ReefFigures({ pool, queue, skills });
  const releases = new Releases({ pool, queue, skills, batchSize });
  const files = new ResultFiles({ pool, queue, publishMeta });
  const compute: Readonly<Record<FigureKind, (queued: QueuedFigure) => Promise<void>>> = {
    photograph: (queued) => photographs.compute(queued),
    survey: (queued) => surveys.compute(queued),
    region: (queued) => reefs.computeRegion(queued),
    reef: (queued) => reefs.computeReef(queued),
    dataset: (queued) => reefs.computeDataset(queued),
    release: (queued) => releases.compute(queued),
    publication: (queued) => files.publish(queued),
  };
  const figureJobs = new FigureJobs({
    pool,
    queue,
    compute,
    renewSkill: () => skills.renew(),
    requestJob: parts.requestJob,
    log,
  });
  const figureFollower = followFigures({ pool, store, onQueued: () => figureJobs.request(), log });
  const nightlyRenewal = new NightlyRenewal({ clock, request: () => figureJobs.requestRenewal(), log });
  return {
    figureJobs,
    figureFollower,
    skillVersions: skills,
    brokenFigures: new BrokenFigures(pool),
    nightlyRenewal,
    closeFigures: async () => {
      nightlyRenewal.close();
      figureJobs.close();
      await figureFollower.close();
      await thread.close();
    },
  };
}
