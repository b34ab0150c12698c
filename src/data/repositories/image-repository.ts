import { ReefError } from '../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../domain/ids';
import { makeId } from '../../domain/ids';
import { newImage } from '../../domain/image/image';
import type { JsonObject } from '../../domain/json';
import { isObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import { draftDelete, draftFirst } from '../../domain/op/draft';
import type { Enclosure } from '../ops/append';
import { restoreBytes } from '../ops/append';
import type { PhotographFacts } from '../../workers/photograph.api';
import type { ReadDoc } from '../db/read-model';
import { blobOf } from '../../protocol/receipt';
import type { Custody } from '../sync/custody';
import type { Live } from './live';
import type { Person } from './person-repository';
import type { Parts } from './parts';
import { byKey, custody, draftFacts, liveDocuments, personHere, save, seen, textOr } from './parts';

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

/**
 * What became of a photograph that was given: `known` is one that this survey has already, byte for byte. Where its bytes
 * were gone from this tablet or damaged, they are whole again.
 */
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
   *   `not-found` (the survey was deleted), `unlinked-survey`, `hash-mismatch` (this tablet's storage did not give back what was written); nothing half-stored
   */
  readonly addPhotograph: (file: File, surveyId: SurveyId, signal?: AbortSignal) => Promise<Added>;
  /** Deletes the record, softly. The bytes stay. @throws ReefError `not-found` */
  readonly remove: (id: ImageId) => Promise<void>;
  /** The 800-px preview; null where there is none. */
  readonly preview: (sha256: Sha256) => Promise<Blob | null>;
  /** The file as it was added, its hash checked. @throws ReefError `not-found`, `hash-mismatch` (the storage is damaged) */
  readonly original: (sha256: Sha256) => Promise<Blob>;
}

export function createImageRepository(parts: Parts): ImageRepository {
  const { store, ledger } = parts;
  return {
    ofSurvey: byKey((surveyId: SurveyId) =>
      liveDocuments<PhotographView>(parts, {
        kinds: ['image'],
        selector: { surveyId },
        view: ({ image = [] }) => [...image].sort(byArrival(parts)).map((document) => viewOf(parts, document, surveyId)),
      }),
    ),
    addPhotograph: (file, surveyId, signal) => addPhotograph(parts, file, surveyId, signal),
    remove: async (id) => {
      const image = await seen(parts, 'image', id);
      if (image.folded.deleted) throw new ReefError('not-found', { message: 'This photograph was deleted.' });
      await save(parts, draftDelete(image, draftFacts(parts, 'image')));
    },
    preview: async (sha256) => (await store.run(() => store.db.previews.get(sha256)))?.picture ?? null,
    original: async (sha256) => {
      const row = await store.run(() => store.db.blobs.get(sha256));
      if (row === undefined) throw new ReefError('not-found', { message: ledger.hasBytes(sha256) ? 'The bytes of this photograph are gone from this tablet.' : 'The bytes of this photograph are not on this tablet.' });
      if ((await store.host.sha256(row.blob)) !== sha256) {
        throw new ReefError('hash-mismatch', { field: 'storage', message: 'The storage of this tablet has damaged this photograph. Look for the original.' });
      }
      return row.blob;
    },
  };
}

async function addPhotograph(parts: Parts, file: File, surveyId: SurveyId, signal?: AbortSignal): Promise<Added> {
  const { store } = parts;
  const person = personHere(parts);
  await surveyHere(parts, surveyId);
  if (file.size > LIMITS.imageBytesMax) throw new ReefError('too-large', { message: 'This file is larger than any photograph the census takes.', limit: LIMITS.imageBytesMax });
  const facts = await parts.photographs.read(file, signal);
  signal?.throwIfAborted();
  // The same file twice in one drop, or in two tabs: the second waits and finds the first.
  const never = new AbortController().signal;
  return store.host.locks.hold(`reef-add-${surveyId}-${facts.sha256}`, signal ?? never, () => keep(parts, file, facts, surveyId, person));
}

async function keep(parts: Parts, file: File, facts: PhotographFacts, surveyId: SurveyId, person: Person): Promise<Added> {
  const { store } = parts;
  const sha256 = facts.sha256 as Sha256;
  // The bytes as they are: nothing is re-encoded, and the name of the file stays outside.
  const enclosure: Enclosure = {
    blob: { sha256, bytes: facts.bytes, type: facts.type, blob: file.slice(0, file.size, facts.type) },
    ...(facts.preview.state === 'made' ? { preview: facts.preview.picture } : {}),
  };
  const known = await knownHere(parts, surveyId, sha256);
  if (known !== undefined) {
    await restoreBytes(store, enclosure);
    await parts.ledger.follow();
    return { id: known, sha256, outcome: 'known' };
  }
  const survey = await surveyHere(parts, surveyId);
  const draft = draftFacts(parts, 'image');
  const id = makeId<ImageId>(store.host.randomBytes);
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
  });
  await save(parts, draftFirst('image', body, draft), enclosure);
  return { id, sha256, outcome: 'saved' };
}

/** @throws ReefError `not-found` for a survey that is unknown here or was deleted */
async function surveyHere(parts: Parts, surveyId: SurveyId): ReturnType<typeof seen> {
  const survey = await seen(parts, 'survey', surveyId);
  if (survey.folded.deleted) throw new ReefError('not-found', { message: 'This survey was deleted.' });
  return survey;
}

function pictureFacts({ size, camera, preview }: PhotographFacts): Pick<Parameters<typeof newImage>[0], 'width' | 'height' | 'taken' | 'camera' | 'position' | 'preview'> {
  const { make, model, position, takenAt } = camera;
  return {
    ...(size === null ? {} : size),
    ...(takenAt === undefined ? {} : { taken: takenAt }),
    ...(make === undefined && model === undefined ? {} : { camera: { ...(make === undefined ? {} : { make }), ...(model === undefined ? {} : { model }) } }),
    ...(position === undefined
      ? {}
      : { position: { latitude: position.lat, longitude: position.lng, ...(position.altitude === undefined ? {} : { altitude: position.altitude }), source: 'exif' as const } }),
    preview: preview.state === 'made' ? { state: 'made' } : { state: 'none', reason: preview.reason },
  };
}

/** A photograph of this survey with the same bytes that is not deleted. */
async function knownHere({ store, ledger }: Parts, surveyId: SurveyId, sha256: Sha256): Promise<ImageId | undefined> {
  const ids = new Set([...ledger.entries.values()].filter((entry) => entry.surveyId === surveyId && entry.blob?.sha256 === sha256).map(({ docId }) => docId));
  for (const id of ids) {
    const { folded } = await seen({ store } as Parts, 'image', id);
    if (!folded.deleted && blobOf({ kind: 'image', body: folded.doc } as Parameters<typeof blobOf>[0])?.sha256 === sha256) return id as ImageId;
  }
  return undefined;
}

/** A name that every node takes: well-formed, no control characters, at most what the protocol allows; no path. */
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

function byArrival({ ledger }: Parts): (a: ReadDoc, b: ReadDoc) => number {
  const first = ({ id }: ReadDoc): number => ledger.document('image', id)[0]?.arrival ?? Number.MAX_SAFE_INTEGER;
  return (a, b) => first(a) - first(b);
}

function viewOf(parts: Parts, { id, doc, conflicts, createdAt, updatedAt }: ReadDoc, surveyId: SurveyId): PhotographView {
  const meta = isObject(doc['meta']) ? doc['meta'] : {};
  const sha256 = textOr(doc['sha256'], '') as Sha256;
  const here = parts.ledger.hasBytes(sha256);
  const made = doc['preview'] === 'made' ? 'here' : 'none';
  return {
    id: id as ImageId,
    surveyId,
    name: textOr(doc['path'], id),
    sha256,
    bytes: typeof doc['bytes'] === 'number' ? doc['bytes'] : 0,
    type: textOr(doc['type'], ''),
    takenAt: textOr(meta['taken'], null),
    preview: here ? made : 'elsewhere',
    custody: custody(parts, 'image', id),
    conflicts: conflicts.length,
    createdAt,
    updatedAt,
    doc,
  };
}
