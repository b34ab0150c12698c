import type { AccountSettings } from './account/account-settings';
import type { AdminRepository } from './account/admin-repository';
import type { AnalysisRepository } from './analysis/types';
import type { CardRepository } from './custody/card-repository';
import type { ConflictRepository } from './survey/conflict-repository';
import type { PhotographCustodyRepository } from './custody/custody-repository';
import type { EdgeAnswersRepository } from './edge/edge-answers-repository';
import type { EdgeLinkRepository } from './edge/edge-link-repository';
import type { ImageRepository } from './image/image-repository';
import type { PackRepository } from './packs/pack-repository';
import type { LogRepository } from './tablet/log-repository';
import type { SecondFactorRepository } from './account/second-factor-repository';
import type { SignInRepository } from './account/sign-in-repository';
import type { PersonRepository } from './account/person-repository';
import type { ProfileRepository } from './account/profile-repository';
import type { ReefRepository } from './survey/reef-repository';
import type { RegionRepository } from './survey/region-repository';
import type { ReportDoor } from './report/report-repository';
import type { RescueRepository } from './custody/rescue-repository';
import type { SendingRepository } from './custody/sending-repository';
import type { SpaceRepository } from './tablet/space-repository';
import type { TabletNameRepository } from './tablet/tablet-name-repository';
import type { StorageRepository } from './tablet/storage-repository';
import type { SurveyRepository } from './survey/survey-repository';
import type { UsageRepository } from './tablet/usage-repository';

/**
 * Only access of features and routes to the tablet's data (architecture, "Layout"), by domain. Created by
 * `create-repositories.ts`.
 */
export interface Repositories {
  readonly account: {
    readonly signIn: SignInRepository;
    readonly settings: AccountSettings;
    readonly profile: ProfileRepository;
    readonly people: PersonRepository;
    readonly admin: AdminRepository;
    readonly secondFactor: SecondFactorRepository;
  };
  readonly census: {
    readonly surveys: SurveyRepository;
    readonly images: ImageRepository;
    readonly analyses: AnalysisRepository;
    readonly conflicts: ConflictRepository;
    readonly reefs: ReefRepository;
    readonly regions: RegionRepository;
  };
  readonly custody: {
    readonly photographs: PhotographCustodyRepository;
    readonly cards: CardRepository;
    readonly sending: SendingRepository;
    readonly rescue: RescueRepository;
  };
  readonly edge: {
    readonly link: EdgeLinkRepository;
    readonly answers: EdgeAnswersRepository;
    readonly packs: PackRepository;
  };
  readonly tablet: {
    readonly storage: StorageRepository;
    readonly space: SpaceRepository;
    readonly name: TabletNameRepository;
    readonly log: LogRepository;
  };
  readonly report: ReportDoor;
  readonly usage: UsageRepository;
}

export type { CloudFacts } from './account/sign-in-repository';
export type { AccountSettings } from './account/account-settings';
export type { OwnTablet } from '../transport/cloud/cloud-tablets';
export type { CodesSetup, FactorOverview, PasskeyOptions } from '../transport/cloud/cloud-second-factor';
export type { SecondFactorState } from '../../protocol/second-factor';
export type { AdminRepository, AdminAccess } from './account/admin-repository';
export type {
  AnalysisContent,
  AnalysisRepository,
  AnalysisView,
  FreeDrawWork,
  LabellingWork,
  NextImage,
  NoImage,
  StrokeJournal,
  TraceImage,
  UnfinishedWork,
  UnsavedForm,
  ViewedAnalysis,
  WorkTab,
} from './analysis/types';
export type { AdminPerson, AuditPage, FoundHandle, PeoplePage } from '../transport/cloud/cloud-admin';
export type { AuditAction, AuditEntry, GivenRole } from '../../protocol/accounts';
export type { CardRepository, CardView, IntakeHandle } from './custody/card-repository';
export type { ConflictRepository, ConflictView } from './survey/conflict-repository';
export type { PhotographStatus, PhotographName, SurveyCustody } from './custody/custody-repository';
export type { Custody } from '../sync/custody/custody';
export type { ConnectivityFacts } from '../transport/connectivity';
export type { AddedPhotograph, ImageRepository, PhotographView } from './image/image-repository';
export type { PlacedFromTrack } from './image/place-from-track';
export type { EdgeClock } from '../sync/pairing/edge-clock';
export type { EdgeLink, Invitation, PairedEdge } from './edge/edge-link-repository';
export type { EdgeSession, SessionsReply } from '../../protocol/edge-http';
export type { Observable, QueryResult } from './live';
export type { PackState } from './packs/land-chart';
export type { PackItem, PackView } from './packs/pack-repository';
export type { LogEntry } from './tablet/log-repository';
export type { KnownPerson } from './account/known-people';
export type { Person } from './account/person';
export type { PersonRepository } from './account/person-repository';
export type { PersonRoles } from './account/person-roles';
export type { PhotoUpload } from './account/photo-upload';
export type { ProfileFacts, ProfilePlace, ProfileRepository, ProfileView } from './account/profile-repository';
export type {
  AccountState,
  FoundOrganisation,
  NewAccount,
  ProfileField,
  Provider,
} from '../transport/cloud/cloud-accounts';
export type { Place as FoundPlace } from '../../protocol/accounts';
export type {
  AnalystOfPhotograph,
  AnswerOfPhotograph,
  ConsensusOfPhotograph,
  DoubtfulPlace,
  ShareClass,
  SharePhotograph,
} from './report/drill-types';
export type { ReportImage, ReportObservable, ReportRead, ReportRepository, ReportSurvey } from './report/types';
export type { StoredReefTable, ReefRepository } from './survey/reef-repository';
export type { RescueFile, RescueContents, RescueProgress, ImportedRescue } from './custody/rescue-repository';
export type { HeldItem, SendingFacts, SendingRepository } from './custody/sending-repository';
export type { SpaceFacts, SpaceRepository } from './tablet/space-repository';
export type { UsageRepository } from './tablet/usage-repository';
export type { StorageFacts } from './tablet/storage-repository';
export type { RegionRepository } from './survey/region-repository';
export type { SurveyRepository, SurveyView } from './survey/survey-repository';
export type { EdgeGps, EdgeMeta, EdgeSender, EdgeSurvey } from '../../protocol/edge-socket';
