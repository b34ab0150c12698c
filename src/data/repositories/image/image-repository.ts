import { ReefError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import { EdgeHttp } from '../../transport/edge/edge-http';
import type { AddedPhotograph, AddPhotographOptions } from './add-photograph';
import { addPhotograph, newImageId } from './add-photograph';
import {
  keepAsIs,
  movePhotographs,
  moveToSurvey,
  removePhotograph,
  restorePhotograph,
  retakePhotograph,
} from './edit-images';
import type { PlacedFromTrack } from './place-from-track';
import { placeAtDive, placeFromTrack } from './place-from-track';
import { storageRoomFor } from './storage-room';
import type { PhotographView } from './photograph-view';
import { photographViews } from './photograph-view';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey, liveDocuments } from '../repository-context';
import type { StorageRoom } from '../tablet/storage-repository';

export type { AddedPhotograph } from './add-photograph';
export type { PhotographView } from './photograph-view';

/**
 * Photographs of surveys that the current user may see (`access-policy.ts`). The hash that requests bytes is only in
 * their views.
 */
export interface ImageRepository {
  /** In the person's order, without removed ones. The same object for the same id. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<PhotographView>;
  /** Removed ones in the same order; each can be restored. The same object for the same id. */
  readonly removed: (surveyId: SurveyId) => LiveQuery<PhotographView>;
  /**
   * Adds a photograph: reads hash, camera facts and preview in a worker, stores all in one transaction, and reads it
   * back. Once this settles it survives a power cut. Truncated, HEIC and very large pictures are stored unchanged,
   * without preview: they are evidence. Ordered by the call.
   * @param signal cancels before anything is stored
   * @throws ReefError `unsupported-media` (empty, SVG, HTML, not a photograph), `too-large`, `storage-full`,
   * `not-found` (survey deleted), `unlinked-survey`, `hash-mismatch` (storage returned other bytes); nothing
   * half-stored
   */
  readonly addPhotograph: (
    file: File,
    surveyId: SurveyId,
    signal?: AbortSignal,
    options?: AddPhotographOptions,
  ) => Promise<AddedPhotograph>;
  /** Random id for a photograph that is to be added. */
  readonly newId: () => ImageId;
  readonly room: (files: readonly { readonly size: number }[]) => Promise<StorageRoom>;
  /**
   * Soft-deletes the record; the bytes stay.
   * @throws ReefError `not-found`
   */
  readonly remove: (id: ImageId) => Promise<void>;
  /**
   * Restores a removed photograph to its place.
   * @throws ReefError `not-found`; `image-exists` if it was added again
   */
  readonly restore: (id: ImageId) => Promise<void>;
  /** Moves photographs together, in the given order, before another one; null moves them to the end. */
  readonly move: (surveyId: SurveyId, ids: readonly ImageId[], before: ImageId | null) => Promise<void>;
  /**
   * Moves a photograph to another survey: added there from the same bytes, which are not sent again, and then removed
   * here, restorably.
   * @throws ReefError as `addPhotograph`; `not-found` if its file is not on this tablet
   */
  readonly moveToSurvey: (id: ImageId, to: SurveyId) => Promise<void>;
  /**
   * Replaces a photograph; the old one is removed, restorably, once the new one is saved. Does nothing if the survey
   * has the new one already.
   * @throws ReefError as `addPhotograph`; the old one stays then
   */
  readonly retake: (
    id: ImageId,
    file: File,
    signal?: AbortSignal,
    options?: AddPhotographOptions,
  ) => Promise<AddedPhotograph>;
  /**
   * Clears its hints: a person keeps it as it is.
   * @throws ReefError `not-found`
   */
  readonly keepAsIs: (id: ImageId) => Promise<void>;
  /**
   * Sets missing positions to the vessel's at the time of capture, from the box's track or, while it is away, its
   * stored part. Waits for the connection if the box answers; the result tells if its track was not read.
   */
  readonly placeFromTrack: (surveyId: SurveyId) => Promise<PlacedFromTrack>;
  /** Sets missing positions to that of the dive. */
  readonly placeAtDive: (surveyId: SurveyId) => Promise<PlacedFromTrack>;
  /** Preview of 800 px; null for none. */
  readonly preview: (sha256: Sha256) => Promise<Blob | null>;
  /** Picture of at most 320 px for lists, else the preview; null for neither. */
  readonly thumbnail: (sha256: Sha256) => Promise<Blob | null>;
  /**
   * Picture of 800 px from a reachable box, of a photograph that another tablet added or that this browser cannot show;
   * null for none. The latter is kept beside the photograph.
   */
  readonly boxPreview: (photograph: { readonly id: ImageId; readonly sha256: Sha256 }) => Promise<Blob | null>;
  /** Calls back when a box begins to answer: pictures that it had not given may be there. */
  readonly boxAnswers: (listener: () => void) => () => void;
  /** Useful number of concurrent calls of `addPhotograph`. */
  readonly addConcurrency: number;
  /**
   * Original file, its hash verified.
   * @throws ReefError `not-found`, `hash-mismatch` (the storage is damaged)
   */
  readonly original: (sha256: Sha256) => Promise<Blob>;
}

/** Photographs being stored or read back while others are read. */
const DISK_CONCURRENCY = 6;

export function createImageRepository(parts: RepositoryContext): ImageRepository {
  const { store } = parts;
  const ofSurvey = (surveyId: SurveyId, isDeleted: boolean): LiveQuery<PhotographView> =>
    liveDocuments<PhotographView>(parts, {
      kinds: ['image', 'survey'],
      selector: { image: { surveyId, isDeleted }, survey: { id: surveyId } },
      view: ({ image = [], survey = [] }) => photographViews(parts, surveyId, image, survey),
    });
  return {
    ofSurvey: memoizeByKey((surveyId: SurveyId) => ofSurvey(surveyId, false)),
    removed: memoizeByKey((surveyId: SurveyId) => ofSurvey(surveyId, true)),
    addPhotograph: (file, surveyId, signal, options) => addPhotograph(parts, file, surveyId, signal, options),
    newId: () => newImageId(parts),
    room: (files) => storageRoomFor(store, files),
    remove: (id) => removePhotograph(parts, id),
    restore: (id) => restorePhotograph(parts, id),
    move: (surveyId, ids, before) => movePhotographs(parts, surveyId, ids, before),
    moveToSurvey: (id, to) => moveToSurvey(parts, id, to, (sha256) => readOriginal(parts, sha256)),
    retake: (id, file, signal, options) => retakePhotograph(parts, id, file, signal, options),
    keepAsIs: (id) => keepAsIs(parts, id),
    placeAtDive: (surveyId) => placeAtDive(parts, surveyId),
    placeFromTrack: (surveyId) => placeFromTrack(parts, surveyId),
    preview: async (sha256) => (await store.run(() => store.db.previews.get(sha256)))?.picture ?? null,
    thumbnail: async (sha256) => {
      const row = await store.run(() => store.db.previews.get(sha256));
      return row?.thumbnail ?? row?.picture ?? null;
    },
    boxPreview: (photograph) => boxPreview(parts, photograph),
    boxAnswers: (listener) =>
      parts.connectivity.answeringEdge.subscribe((answering) => {
        if (answering !== null) listener();
      }),
    // Keeps the workers busy while a slow disk stores and reads back.
    addConcurrency: parts.photographs.concurrency + DISK_CONCURRENCY,
    original: (sha256) => readOriginal(parts, sha256),
  };
}

async function boxPreview(
  { store, connectivity, access, opIndex }: RepositoryContext,
  { id, sha256 }: { readonly id: ImageId; readonly sha256: Sha256 },
): Promise<Blob | null> {
  const kept = await store.run(() => store.db.previews.get(sha256));
  if (kept !== undefined) return kept.picture;
  if (!access.canSeeDocument('image', id)) return null;
  const edge = connectivity.currentEdge();
  const picture = edge === undefined ? null : await new EdgeHttp(store.host, edge.origin).preview(id, edge.session);
  if (picture !== null && opIndex.hasBytes(sha256)) await store.run(() => store.db.previews.put({ sha256, picture }));
  return picture;
}

async function readOriginal({ store, opIndex }: RepositoryContext, sha256: Sha256): Promise<Blob> {
  const row = await store.run(() => store.db.blobs.get(sha256));
  if (row === undefined && opIndex.wasFreed(sha256))
    throw new ReefError('not-found', {
      field: 'freed',
      message: 'The original is ashore: its space here was freed. The preview stays on this tablet.',
    });
  if (row === undefined)
    throw new ReefError('not-found', {
      message: opIndex.hasBytes(sha256)
        ? 'The original of this photograph is no longer on this tablet.'
        : 'The original of this photograph is not on this tablet.',
    });
  if ((await store.host.sha256(row.blob)) !== sha256) {
    throw new ReefError('hash-mismatch', {
      field: 'storage',
      message: 'This photograph is damaged on this tablet. Look for the original.',
    });
  }
  return row.blob;
}
