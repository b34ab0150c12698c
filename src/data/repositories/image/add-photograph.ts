import { ReefError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import type { NewImage } from '../../../domain/image/image';
import { newImage } from '../../../domain/image/image';
import { orderAt } from '../../../domain/image/order';
import { isObject } from '../../../domain/json';
import { LIMITS } from '../../../domain/limits';
import { draftFirst, documentStateOf } from '../../../domain/op/draft';
import { blobOf } from '../../../protocol/receipt';
import type { PhotographFacts } from '../../../workers/photograph/photograph.api';
import type { BlobAttachment } from '../../ops/append';
import { restoreBlob } from '../../ops/append';
import { effectiveOps } from '../../ops/effective-ops';
import type { RepositoryContext } from '../repository-context';
import { draftFacts, currentPerson, saveOp, readDocument, textOr } from '../repository-context';
import type { Person } from '../account/person';

/**
 * Result of adding a photograph. `known`: the survey has the same bytes; missing or damaged bytes here are restored
 * from the file.
 */
export interface AddedPhotograph {
  readonly id: ImageId;
  readonly sha256: Sha256;
  readonly outcome: 'saved' | 'known';
  /**
   * Set if the picture shows the box's clock code: camera's reading (ISO 8601 without a zone) and box's UTC (ISO 8601).
   */
  readonly detectedClock?: { readonly cameraSaid: string; readonly boxSaid: string };
}

/** Options of a screen that adds a photograph. */
export interface AddPhotographOptions {
  /** Author; the current user by default. */
  readonly by?: Person | undefined;
  /** Its id, of `newId`, by which a screen knows it in the list before the call settles. Not of a duplicate. */
  readonly id?: ImageId | undefined;
}

/** Options of a new photograph: also its order, and the photograph that it replaces. */
interface AddOptions extends AddPhotographOptions {
  readonly order?: string;
  readonly retakeOf?: ImageId;
}

/** Implements `ImageRepository.addPhotograph`. */
export async function addPhotograph(
  parts: RepositoryContext,
  file: File,
  surveyId: SurveyId,
  signal?: AbortSignal,
  placing: AddOptions = {},
): Promise<AddedPhotograph> {
  const { store } = parts;
  // Ordered by the call, since large files finish after smaller ones behind them.
  const given = nextMoment(store.host.clock.now());
  // Reading hundreds of files takes minutes, in which the current user may change.
  const person = placing.by ?? currentPerson(parts);
  await requireSurvey(parts, surveyId);
  if (file.size > LIMITS.imageBytesMax)
    throw new ReefError('too-large', {
      message: 'This file is larger than the largest photograph the census accepts.',
      limit: LIMITS.imageBytesMax,
    });
  const facts = await parts.photographs.read(file, signal);
  signal?.throwIfAborted();
  // The same file twice in one drop or in two tabs: the second call waits and finds the first.
  try {
    return await withContentLock(parts, surveyId, facts.sha256 as Sha256, signal, () =>
      storePhotograph(parts, file, facts, surveyId, person, { given, ...placing }),
    );
  } catch (error) {
    // The store reads the file again. A card pulled out by then is not a storage error.
    if (signal?.aborted !== true && !(await isReadable(file))) throw new ReefError('unreadable-file', { cause: error });
    throw error;
  }
}

/** Implements `ImageRepository.newId`. */
export function newImageId({ store }: RepositoryContext): ImageId {
  return makeId<ImageId>(store.host.randomBytes);
}

/** Runs `work` under a lock on these bytes in this survey, across tabs. */
export function withContentLock<Value>(
  { store }: RepositoryContext,
  surveyId: SurveyId,
  sha256: Sha256,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  return store.host.locks.hold(`reef-add-${surveyId}-${sha256}`, signal ?? new AbortController().signal, work);
}

/** True if the file is still readable: browsers refuse one that changed since it was chosen. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

let latestMoment = 0;

/** ms since 1970, strictly increasing. */
function nextMoment(now: number): number {
  latestMoment = Math.max(now, latestMoment + 1);
  return latestMoment;
}

async function storePhotograph(
  parts: RepositoryContext,
  file: File,
  facts: PhotographFacts,
  surveyId: SurveyId,
  person: Person,
  { given, order, retakeOf, id = newImageId(parts) }: AddOptions & { readonly given: number },
): Promise<AddedPhotograph> {
  const { store } = parts;
  const sha256 = facts.sha256 as Sha256;
  // Original bytes: nothing is re-encoded, and the file name is not included.
  const attachment: BlobAttachment = {
    blob: { sha256, bytes: facts.bytes, type: facts.type, blob: file.slice(0, file.size, facts.type) },
    ...(facts.preview.state === 'made' ? { preview: previewOf(facts.preview) } : {}),
  };
  const duplicate = await findDuplicate(parts, surveyId, sha256);
  if (duplicate !== undefined) {
    await restoreBlob(store, attachment);
    await parts.opIndex.follow();
    return { id: duplicate, sha256, outcome: 'known', ...findingsOf(facts) };
  }
  const survey = await requireSurvey(parts, surveyId);
  const draft = { ...draftFacts(parts, 'image'), by: person.uid };
  const loc = isObject(survey.folded.doc['loc']) ? survey.folded.doc['loc'] : {};
  const place = textOr(loc['name'], '');
  const body = newImage({
    id,
    survey: { id: surveyId, name: textOr(survey.folded.doc['name'], place), regionId: textOr(loc['regionId'], '') },
    uid: person.uid,
    sha256,
    bytes: facts.bytes,
    type: facts.type,
    path: displayName(file.name, id),
    madeAt: draft.madeAt,
    fileMeta: { name: displayName(file.name, id), size: file.size, ...lastModified(file) },
    ...pictureFacts(facts),
    order: order ?? orderAt(given, id),
    ...(retakeOf === undefined ? {} : { retakeOf }),
  });
  await saveOp(parts, draftFirst('image', body, draft), attachment);
  return { id, sha256, outcome: 'saved', ...findingsOf(facts) };
}

/** @throws ReefError `not-found` for an unknown or deleted survey */
export async function requireSurvey(parts: RepositoryContext, surveyId: SurveyId): ReturnType<typeof readDocument> {
  const survey = await readDocument(parts, 'survey', surveyId);
  if (survey.folded.deleted) throw new ReefError('not-found', { message: 'This survey was deleted.' });
  return survey;
}

function pictureFacts({
  size,
  camera,
  preview,
  quality,
  boxClockMs,
}: PhotographFacts): Pick<
  NewImage,
  'width' | 'height' | 'taken' | 'camera' | 'position' | 'preview' | 'quality' | 'boxClock'
> {
  const { make, model, position, takenAt } = camera;
  return {
    ...(size === null ? {} : size),
    ...(takenAt === undefined ? {} : { taken: takenAt }),
    ...(make === undefined && model === undefined
      ? {}
      : { camera: { ...(make === undefined ? {} : { make }), ...(model === undefined ? {} : { model }) } }),
    ...(position === undefined
      ? {}
      : {
          position: {
            latitude: position.lat,
            longitude: position.lng,
            ...(position.altitude === undefined ? {} : { altitude: position.altitude }),
            source: 'exif' as const,
          },
        }),
    ...(quality === undefined ? {} : { quality }),
    ...(boxClockMs === undefined ? {} : { boxClock: new Date(boxClockMs).toISOString() }),
    preview: preview.state === 'made' ? { state: 'made' } : { state: 'none', reason: preview.reason },
  };
}

function previewOf({
  picture,
  thumbnail,
}: {
  readonly picture: Blob;
  readonly thumbnail?: Blob;
}): NonNullable<BlobAttachment['preview']> {
  return { picture, ...(thumbnail === undefined ? {} : { thumbnail }) };
}

function findingsOf({ boxClockMs, camera: { takenAt } }: PhotographFacts): Pick<AddedPhotograph, 'detectedClock'> {
  return boxClockMs === undefined || takenAt === undefined
    ? {}
    : { detectedClock: { cameraSaid: takenAt.slice(0, 19), boxSaid: new Date(boxClockMs).toISOString() } };
}

/** Photograph of this survey with the same bytes that is not deleted. */
export async function findDuplicate(
  { store, opIndex }: RepositoryContext,
  surveyId: SurveyId,
  sha256: Sha256,
): Promise<ImageId | undefined> {
  // The previous lock holder may be another tab.
  await opIndex.followOtherTabs();
  const ids = new Set(
    [...opIndex.entries.values()]
      .filter((entry) => entry.surveyId === surveyId && entry.blob?.sha256 === sha256)
      .map(({ docId }) => docId),
  );
  for (const id of ids) {
    const counting = await effectiveOps(store, [['image', id]]);
    // A record of another tablet in quarantine is in no list and does not count.
    if (counting.length === 0) continue;
    const { folded } = documentStateOf(
      'image',
      id,
      counting.map(({ op }) => op),
    );
    if (
      !folded.deleted &&
      blobOf({ kind: 'image', body: folded.doc } as Parameters<typeof blobOf>[0])?.sha256 === sha256
    )
      return id as ImageId;
  }
  return undefined;
}

/**
 * File name that every node accepts: well-formed, without control characters or path, at most the protocol's length.
 */
function displayName(name: string, id: ImageId): string {
  const base = (name.split(/[\\/]/).at(-1) ?? '').toWellFormed().replace(/\p{Cc}/gu, '');
  let kept = '';
  let bytes = 0;
  for (const character of base) {
    bytes += new TextEncoder().encode(character).byteLength;
    if (bytes > LIMITS.pathBytesMax) break;
    kept += character;
  }
  return kept === '' || kept === '.' || kept === '..' ? id : kept;
}

function lastModified({ lastModified: time }: File): { lastModified?: string } {
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? { lastModified: new Date(time).toISOString() } : {};
}
