import type { AccountRepository } from './account-repository';
import type { AdminRepository } from './admin-repository';
import type { AnalysisRepository } from './analysis-repository';
import type { CardRepository } from './card-repository';
import type { ConflictRepository } from './conflict-repository';
import type { CustodyRepository } from './custody-repository';
import type { EdgeRepository } from './edge-repository';
import type { ImageRepository } from './image-repository';
import type { PackRepository } from './pack-repository';
import type { LogRepository } from './log-repository';
import type { PersonRepository } from './person-repository';
import type { ProfileRepository } from './profile-repository';
import type { ReefRepository } from './reef-repository';
import type { RescueRepository } from './rescue-repository';
import type { SendingRepository } from './sending-repository';
import type { SpaceRepository } from './space-repository';
import type { StorageRepository } from './storage-repository';
import type { SurveyRepository } from './survey-repository';

/**
 * The only door into the tablet's data for features and routes; it reaches components through the router's context
 * (architecture, "Layout"). `openTablet` of `src/data/tablet.ts` gives one; the composition root calls it.
 */
export interface Repositories {
  readonly surveys: SurveyRepository;
  readonly images: ImageRepository;
  readonly people: PersonRepository;
  readonly edge: EdgeRepository;
  readonly packs: PackRepository;
  readonly sending: SendingRepository;
  readonly custody: CustodyRepository;
  readonly cards: CardRepository;
  readonly rescue: RescueRepository;
  readonly conflicts: ConflictRepository;
  readonly account: AccountRepository;
  readonly admin: AdminRepository;
  readonly profile: ProfileRepository;
  readonly space: SpaceRepository;
  readonly storage: StorageRepository;
  readonly log: LogRepository;
  readonly reefs: ReefRepository;
  readonly analyses: AnalysisRepository;
}

export type { AccountRepository, CloudFacts } from './account-repository';
export type { AccountSettings } from './account-settings';
export type { AdminRepository, AdminAccess } from './admin-repository';
export type {
  AnalysisRepository,
  AnalysisView,
  ExpertForm,
  FreeDrawResult,
  FreeDrawWork,
  NextImage,
  NoImage,
  PictureBytes,
  PictureSize,
  StoredAnalysis,
  StrokeJournal,
  SurveyAnalysisView,
  TraceImage,
  UnfinishedWork,
} from './analysis-repository';
export type { AdminPerson, AuditPage, AuditQuery, RoleChange } from '../transport/cloud-admin';
export type { AuditAction, AuditEntry, GivenRole } from '../../protocol/accounts';
export type { CardRepository, CardView, FileOutcome, IntakeHandle } from './card-repository';
export type { ConflictRepository, ConflictView } from './conflict-repository';
export type { CustodyRepository, PhotographStatus, PhotographName, CustodyPlace, SurveyCustody } from './custody-repository';
export type { Custody } from '../sync/custody';
export type { ConnectivityFacts } from '../transport/connectivity';
export type { AddedPhotograph, ImageRepository, PhotographView, PlacedFromTrack } from './image-repository';
export type { EdgeAnswerTimes } from './box-answers';
export type { EdgeClock } from '../sync/box-clock';
export type { EdgeLink, EdgeRepository, Invitation, PairedEdge } from './edge-repository';
export type { LiveQuery, Observable, QueryResult } from './live';
export type { CachedPack, PackRepository, PackState } from './pack-repository';
export type { LogEntry, LogRepository } from './log-repository';
export type { Person, PersonRepository } from './person-repository';
export type { PersonRoles } from './person-roles';
export type { PhotoUploadFacts, PhotoUpload } from './photo-upload';
export type { ProfileFacts, ProfilePlace, ProfileRepository, ProfileView } from './profile-repository';
export type { AccountState, FoundOrganisation, NewAccount, ProfileField, Provider } from '../transport/cloud-accounts';
export type { Place as FoundPlace } from '../../protocol/accounts';
export type { StoredReefTable, ReefRepository } from './reef-repository';
export type {
  RescueFile,
  RescueContents,
  RescueCopy,
  RescueProgress,
  RescueRepository,
  ImportedRescue,
  RescueTarget,
} from './rescue-repository';
export type { HeldItem, SendingFacts, SendingRepository } from './sending-repository';
export type { PhotographAmount, SpaceFacts, SpaceRepository } from './space-repository';
export type { RetainReason } from '../sync/freeable';
export type { StorageRoom, StorageFacts, StorageRepository } from './storage-repository';
export type { SurveyDraft, SurveyRepository, SurveyView } from './survey-repository';
export type { EdgeGps, EdgeMeta, EdgeSender, EdgeSurvey, EdgeTrackFix } from '../../protocol/edge-socket';
