import { ReefError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import { EdgeHttp } from '../../transport/edge/edge-http';
import type { AddedPhotograph } from './add-photograph';
import { addPhotograph } from './add-photograph';
import { keepAsIs, movePhotographs, removePhotograph, restorePhotograph, retakePhotograph } from './edit-images';
import type { PlacedFromTrack } from './place-from-track';
import { placeFromTrack } from './place-from-track';
import { storageRoomFor } from './storage-room';
import type { PhotographView } from './photograph-view';
import { photographViews } from './photograph-view';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey, liveDocuments } from '../repository-context';
import type { Person } from '../account/person-repository';
import type { StorageRoom } from '../tablet/storage-repository';

export type { AddedPhotograph } from './add-photograph';
export type { PlacedFromTrack } from './place-from-track';
export type { PhotographView } from './photograph-view';

/** Photographs on this tablet: of surveys that whoever is at it sees (`sight-policy.ts`). Bytes are asked for by their hash, which stands in nothing else that is shown. */
export interface ImageRepository {
  /** All of a survey that are not removed, in the person's order. The same object for the same id. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<PhotographView>;
  /** Those of a survey that were removed, in the same order; each can be restored. The same object for the same id. */
  readonly removed: (surveyId: SurveyId) => LiveQuery<PhotographView>;
  /**
   * Takes a photograph: reads hash, camera facts and preview in a worker, stores all in one transaction, reads it back.
   * When this settles the photograph is saved, through a power cut. Truncated, HEIC and very large pictures are kept as
   * they are, without preview: they are evidence. Photographs stand in the order in which this was called.
   *
   * @param signal gives up before anything is stored
   * @param by who gave it, where that was before; whoever is at the tablet now unless told
   * @throws ReefError `unsupported-media` (empty, SVG, HTML, not a photograph), `too-large`, `storage-full`,
   *   `not-found` (the survey was deleted), `unlinked-survey`, `hash-mismatch` (this tablet's storage did not give back what was written); nothing half-stored
   */
  readonly addPhotograph: (
    file: File,
    surveyId: SurveyId,
    signal?: AbortSignal,
    by?: Person,
  ) => Promise<AddedPhotograph>;
  /** Whether files of these sizes find room in the tablet's storage, previews counted along. */
  readonly room: (files: readonly { readonly size: number }[]) => Promise<StorageRoom>;
  /** Deletes the record, softly. The bytes stay. @throws ReefError `not-found` */
  readonly remove: (id: ImageId) => Promise<void>;
  /** Brings a removed photograph back to its place. @throws ReefError `not-found`; `image-exists` where it was added again */
  readonly restore: (id: ImageId) => Promise<void>;
  /** Puts photographs together, in the order given, before another one; null puts them at the end. */
  readonly move: (surveyId: SurveyId, ids: readonly ImageId[], before: ImageId | null) => Promise<void>;
  /**
   * Adds a photograph in the place of another, which is removed (and can be restored) once the new one is saved. Where the
   * survey has the new one already, nothing is removed.
   *
   * @throws ReefError as `addPhotograph`; the old one stays then
   */
  readonly retake: (id: ImageId, file: File, signal?: AbortSignal, by?: Person) => Promise<AddedPhotograph>;
  /** Takes its hints away: a person looked at it and keeps it. @throws ReefError `not-found` */
  readonly keepAsIs: (id: ImageId) => Promise<void>;
  /**
   * Gives photographs without a position the one where the vessel was when they were taken, from the box's track; where
   * the box is away, from what this tablet knows of the track.
   */
  readonly placeFromTrack: (surveyId: SurveyId) => Promise<PlacedFromTrack>;
  /** The 800-px preview; null where there is none. */
  readonly preview: (sha256: Sha256) => Promise<Blob | null>;
  /** A picture of at most 320 px for lists; the preview where there is none so small, null where there is neither. */
  readonly thumbnail: (sha256: Sha256) => Promise<Blob | null>;
  /** The 800-px picture of a photograph that another tablet added, from the box in reach; null where none shows it. */
  readonly remotePreview: (id: ImageId) => Promise<Blob | null>;
  /** How many files are worth giving at the same time; more only wait for one another. */
  readonly addConcurrency: number;
  /** The file as it was added, its hash checked. @throws ReefError `not-found`, `hash-mismatch` (the storage is damaged) */
  readonly original: (sha256: Sha256) => Promise<Blob>;
}

/** Photographs that were read and are being stored or read back, while others are read. */
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
    addPhotograph: (file, surveyId, signal, by) => addPhotograph(parts, file, surveyId, signal, { by }),
    room: (files) => storageRoomFor(store, files),
    remove: (id) => removePhotograph(parts, id),
    restore: (id) => restorePhotograph(parts, id),
    move: (surveyId, ids, before) => movePhotographs(parts, surveyId, ids, before),
    retake: (id, file, signal, by) => retakePhotograph(parts, id, file, signal, by),
    keepAsIs: (id) => keepAsIs(parts, id),
    placeFromTrack: (surveyId) => placeFromTrack(parts, surveyId),
    preview: async (sha256) => (await store.run(() => store.db.previews.get(sha256)))?.picture ?? null,
    thumbnail: async (sha256) => {
      const row = await store.run(() => store.db.previews.get(sha256));
      return row?.thumbnail ?? row?.picture ?? null;
    },
    remotePreview: (id) => remotePreview(parts, id),
    // While some are read, others wait for the disk together and are read back: a slow disk keeps no worker idle.
    addConcurrency: parts.photographs.concurrency + DISK_CONCURRENCY,
    original: (sha256) => readOriginal(parts, sha256),
  };
}

async function remotePreview({ store, connectivity, access }: RepositoryContext, id: ImageId): Promise<Blob | null> {
  if (!access.canSeeDocument('image', id)) return null;
  const edge = connectivity.currentEdge();
  return edge === undefined ? null : new EdgeHttp(store.host, edge.origin).preview(id, edge.session);
}

async function readOriginal({ store, opIndex }: RepositoryContext, sha256: Sha256): Promise<Blob> {
  const row = await store.run(() => store.db.blobs.get(sha256));
  if (row === undefined && opIndex.wasFreed(sha256))
    throw new ReefError('not-found', {
      field: 'freed',
      message: 'The original is ashore: its room here was freed. The preview stays on this tablet.',
    });
  if (row === undefined)
    throw new ReefError('not-found', {
      message: opIndex.hasBytes(sha256)
        ? 'The bytes of this photograph are gone from this tablet.'
        : 'The bytes of this photograph are not on this tablet.',
    });
  if ((await store.host.sha256(row.blob)) !== sha256) {
    throw new ReefError('hash-mismatch', {
      field: 'storage',
      message: 'The storage of this tablet has damaged this photograph. Look for the original.',
    });
  }
  return row.blob;
}
