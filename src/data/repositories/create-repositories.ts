import type { ObservableValue } from '../../base/observable';
import type { ReportQueue } from '../report-queue';
import type { EdgeCache } from '../cache/edge-cache';
import type { CustodyIndex } from '../sync/custody/custody-index';
import type { Intakes } from '../sync/custody/intakes';
import type { FreeingWatch } from '../sync/freeing/freeing-watch';
import { createAdminRepository } from './account/admin-repository';
import { lazySecondFactor } from './account/lazy-second-factor';
import { lazyAccountSettings } from './account/lazy-account-settings';
import { createPersonRepository } from './account/person-repository';
import { createProfileRepository } from './account/profile-repository';
import { createSignInRepository } from './account/sign-in-repository';
import { createAnalysisRepository } from './analysis/analysis-repository';
import { createCardRepository } from './custody/card-repository';
import { createPhotographCustodyRepository } from './custody/custody-repository';
import { createRescueRepository } from './custody/rescue-repository';
import { createSendingRepository } from './custody/sending-repository';
import { createEdgeAnswersRepository } from './edge/edge-answers-repository';
import { createEdgeLinkRepository } from './edge/edge-link-repository';
import { createPackRepository } from './packs/pack-repository';
import { createImageRepository } from './image/image-repository';
import type { Person } from './account/person';
import type { Repositories } from './index';
import { createReportRepository } from './report/report-repository';
import type { RepositoryContext } from './repository-context';
import { createConflictRepository } from './survey/conflict-repository';
import { createReefRepository } from './survey/reef-repository';
import { createRegionRepository } from './survey/region-repository';
import { createSurveyRepository } from './survey/survey-repository';
import { createLogRepository } from './tablet/log-repository';
import { createSpaceRepository } from './tablet/space-repository';
import { createTabletNameRepository } from './tablet/tablet-name-repository';
import type { UsageEvent } from '../../protocol/cloud-http';
import { createUsageRepository } from './tablet/usage-repository';
import { createStorageRepository } from './tablet/storage-repository';

interface RepositoryOptions {
  readonly person: ObservableValue<Person | null>;
  readonly edgeCache: EdgeCache;
  readonly custodyIndex: CustodyIndex;
  readonly intakes: Intakes;
  readonly freeing: FreeingWatch;
  /** Origin of the page: the cloud, if the app was installed from there. */
  readonly servedBy: string | undefined;
  /** Name of the database that caches census images. */
  readonly censusDatabase: string;
  /** Name of the database that caches the report. */
  readonly reportDatabase: string;
  readonly usageEvents: Pick<ReportQueue<UsageEvent>, 'add'>;
}

/** Creates the repositories of a tablet; `close` ends what they follow. */
export function createRepositories(
  context: RepositoryContext,
  {
    person,
    edgeCache,
    custodyIndex,
    intakes,
    freeing,
    servedBy,
    censusDatabase,
    reportDatabase,
    usageEvents,
  }: RepositoryOptions,
): { readonly repositories: Repositories; readonly close: () => void } {
  const { store, opIndex } = context;
  const regions = createRegionRepository(context);
  const surveys = createSurveyRepository(context, custodyIndex);
  const usage = createUsageRepository(store, usageEvents);
  const analyses = createAnalysisRepository(context, { name: censusDatabase, usage });
  const cards = createCardRepository(context, custodyIndex, intakes);
  const signIn = createSignInRepository(context, person, servedBy);
  const profile = createProfileRepository(context, person);
  const link = createEdgeLinkRepository(context, person, edgeCache);
  const report = createReportRepository(context, {
    name: reportDatabase,
    servedBy,
    isBoxPage: () => signIn.facts.get().isBoxPage,
  });
  return {
    repositories: {
      account: {
        signIn,
        settings: lazyAccountSettings(context, person),
        profile,
        people: createPersonRepository(context, person),
        admin: createAdminRepository(context),
        secondFactor: lazySecondFactor(context),
      },
      census: {
        surveys,
        images: createImageRepository(context),
        analyses,
        conflicts: createConflictRepository(context),
        reefs: createReefRepository(context),
        regions,
      },
      custody: {
        photographs: createPhotographCustodyRepository(context, custodyIndex),
        cards,
        sending: createSendingRepository(context),
        rescue: createRescueRepository(context),
      },
      edge: {
        link,
        answers: createEdgeAnswersRepository(context, edgeCache),
        packs: createPackRepository(context, edgeCache, servedBy),
      },
      tablet: {
        storage: createStorageRepository(store, opIndex),
        space: createSpaceRepository(context, freeing),
        name: createTabletNameRepository(context),
        log: createLogRepository(store.host.log),
      },
      report,
      usage,
    },
    close: () =>
      [surveys, regions, cards, signIn, profile, link, analyses, report].forEach((repository) => repository.close()),
  };
}
