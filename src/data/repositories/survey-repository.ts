import type { PersonId, SurveyId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import type { NewSurvey } from '../../domain/survey/survey';
import type { Custody } from './custody';
import type { Live, Observable } from './live';

/** What a person says of a new survey (1§3, 3§3); id, person and time are added here. */
export type SurveyDraft = Omit<NewSurvey, 'id' | 'uid' | 'madeAt'>;

/** A survey as the screens show it. */
export interface SurveyView {
  readonly id: SurveyId;
  readonly date: string;
  readonly name: string;
  /** The name of its place. */
  readonly place: string;
  readonly regionId: string;
  readonly person: PersonId | null;
  readonly images: { readonly total: number };
  readonly custody: Custody;
  /** Fields for which someone else wrote another value; settle them with `ConflictRepository`. */
  readonly conflicts: number;
  /** ISO 8601 times of the first and the latest write. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** All fields as folded. */
  readonly doc: JsonObject;
}

/** Surveys on this tablet: its own and those that came from the box. */
export interface SurveyRepository {
  /** All that are not deleted, newest day first. */
  readonly all: Live<SurveyView>;
  /** One survey: no item while it is unknown or deleted. The same object for the same id. */
  readonly one: (id: SurveyId) => Live<SurveyView>;
  /**
   * Writes a new survey of the current person; settles once it is saved on this tablet.
   *
   * @throws ReefError `unlinked-survey` when nobody is signed in here; `storage-full`; `internal`; nothing half-stored
   */
  readonly add: (draft: SurveyDraft) => Promise<SurveyId>;
  /** Sets some fields. @throws ReefError `not-found`, `storage-full` */
  readonly edit: (id: SurveyId, changes: JsonObject) => Promise<void>;
  /** Deletes it, softly; an edit that this tablet did not see brings it back, flagged. @throws ReefError `not-found` */
  readonly remove: (id: SurveyId) => Promise<void>;
  /** The survey that the person works on now; it outlives a restart. */
  readonly current: Observable<SurveyId | null>;
  readonly choose: (id: SurveyId | null) => Promise<void>;
}
