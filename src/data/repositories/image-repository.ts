import type { ImageId, Sha256, SurveyId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import type { Custody } from './custody';
import type { Live } from './live';

/** A photograph as the screens show it. */
export interface PhotographView {
  readonly id: ImageId;
  readonly surveyId: SurveyId;
  /** The name of the file it came from. */
  readonly name: string;
  readonly sha256: Sha256;
  /** Bytes of the file. */
  readonly bytes: number;
  readonly type: string;
  /** When the camera took it, ISO 8601, where the file says so. */
  readonly takenAt: string | null;
  /** `elsewhere`: added on another tablet; the bytes are not here. */
  readonly preview: 'here' | 'none' | 'elsewhere';
  readonly custody: Custody;
  readonly conflicts: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly doc: JsonObject;
}

/** What became of a photograph that was given: `known` is one that this survey has already, byte for byte. */
export interface Added {
  readonly id: ImageId;
  readonly sha256: Sha256;
  readonly outcome: 'saved' | 'known';
}

/** Photographs on this tablet. */
export interface ImageRepository {
  /** All of a survey that are not deleted, in the order they were added. The same object for the same id. */
  readonly ofSurvey: (surveyId: SurveyId) => Live<PhotographView>;
  /**
   * Takes a photograph: reads hash, camera facts and preview in a worker, stores all in one transaction, reads it back.
   * When this settles the photograph is saved, through a power cut. Truncated, HEIC and very large pictures are kept as
   * they are, without preview: they are evidence.
   *
   * @param signal gives up before anything is stored
   * @throws ReefError `unsupported-media` (empty, SVG, HTML, not a photograph), `too-large`, `storage-full`,
   *   `unlinked-survey`, `hash-mismatch` (this tablet's storage did not give back what was written); nothing half-stored
   */
  readonly addPhotograph: (file: File, surveyId: SurveyId, signal?: AbortSignal) => Promise<Added>;
  /** Deletes the record, softly. The bytes stay. @throws ReefError `not-found` */
  readonly remove: (id: ImageId) => Promise<void>;
  /** The 800-px preview; null where there is none. */
  readonly preview: (sha256: Sha256) => Promise<Blob | null>;
  /** The file as it was added, its hash checked. @throws ReefError `not-found`, `hash-mismatch` (the storage is damaged) */
  readonly original: (sha256: Sha256) => Promise<Blob>;
}
