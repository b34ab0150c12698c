import { ReefError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import { reorderKeys, orderOf } from '../../../domain/image/order';
import type { JsonObject } from '../../../domain/json';
import { draftDelete, draftEdit, draftRestore } from '../../../domain/op/draft';
import type { ReadDoc } from '../../db/read-model';
import type { AddedPhotograph, AddPhotographOptions } from './add-photograph';
import { addPhotograph, findDuplicate, withContentLock } from './add-photograph';
import { sortByOrder } from './photograph-view';
import type { RepositoryContext } from '../repository-context';
import { draftFacts, saveOp, saveOps, readDocument, readDocuments, textOr } from '../repository-context';
import { KeyedMutex } from '../../../base/keyed-mutex';

/**
 * Serialises writes per photograph, and moves per survey: two edits from one state would conflict, and one that missed
 * a removal would undo it.
 */
const mutex = new KeyedMutex<ImageId | SurveyId>();

/** @throws ReefError `not-found` */
export async function removePhotograph(parts: RepositoryContext, id: ImageId): Promise<void> {
  await mutex.run(id, async () => {
    await saveOp(parts, draftDelete(await requireImage(parts, id), draftFacts(parts, 'image')));
  });
}

/** @throws ReefError `not-found`, `image-exists` */
export async function restorePhotograph(parts: RepositoryContext, id: ImageId): Promise<void> {
  const { doc } = (await readDocument(parts, 'image', id)).folded;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const [surveyId, sha256] = [textOr(survey?.id, '') as SurveyId, textOr(doc['sha256'], '') as Sha256];
  // The same file may be added at this moment: the lock lets one wait and find the other.
  await withContentLock(parts, surveyId, sha256, undefined, () =>
    mutex.run(id, async () => {
      const image = await readDocument(parts, 'image', id);
      if (!image.folded.deleted) return;
      const duplicate = await findDuplicate(parts, surveyId, sha256);
      if (duplicate !== undefined)
        throw new ReefError('image-exists', {
          message: 'This photograph was added again and is already in the survey.',
        });
      await saveOp(parts, draftRestore(image, draftFacts(parts, 'image')));
    }),
  );
}

/** Moves photographs together before another one, or to the end. */
export async function movePhotographs(
  parts: RepositoryContext,
  surveyId: SurveyId,
  ids: readonly ImageId[],
  before: ImageId | null,
): Promise<void> {
  await mutex.run(surveyId, async () => {
    const sorted = sortByOrder(await imagesOfSurvey(parts, surveyId)).map(({ id, doc, createdAt }) => ({
      id,
      order: orderOf({ ...doc, id, createdAt }),
    }));
    await editImages(
      parts,
      new Map([...reorderKeys(sorted, ids, before)].map(([id, order]) => [id as ImageId, { order }])),
    );
  });
}

/** Replaces a photograph: the new one takes the old one's order. */
export async function retakePhotograph(
  parts: RepositoryContext,
  id: ImageId,
  file: File,
  signal?: AbortSignal,
  options?: AddPhotographOptions,
): Promise<AddedPhotograph> {
  const { doc } = (await requireImage(parts, id)).folded;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const added = await addPhotograph(parts, file, textOr(survey?.id, '') as SurveyId, signal, {
    ...options,
    order: orderOf({ ...doc, id }),
    retakeOf: id,
  });
  // For the same file, or one already elsewhere in the survey, nothing is replaced.
  if (added.outcome === 'saved') await removePhotograph(parts, id);
  return added;
}

/** Decisions of a person about a photograph, which go with it to another survey. */
const DECIDED = ['position', 'keptAsIs'] as const;

/** Implements `ImageRepository.moveToSurvey`. @param readOriginal reads and checks the bytes */
export async function moveToSurvey(
  parts: RepositoryContext,
  id: ImageId,
  to: SurveyId,
  readOriginal: (sha256: Sha256) => Promise<Blob>,
): Promise<void> {
  const { doc } = (await requireImage(parts, id)).folded;
  const sha256 = textOr(doc['sha256'], '') as Sha256;
  if (!parts.opIndex.hasBytes(sha256))
    throw new ReefError('not-found', {
      message: 'The file of this photograph is not on this tablet. Move it on the tablet that has it.',
    });
  const type = textOr(doc['type'], '');
  const file = new File([await readOriginal(sha256)], textOr(doc['path'], id), { type });
  const added = await addPhotograph(parts, file, to);
  const decided = DECIDED.flatMap((field) => (doc[field] === undefined ? [] : [[field, doc[field]] as const]));
  if (added.outcome === 'saved' && decided.length > 0) await editImage(parts, added.id, Object.fromEntries(decided));
  await removePhotograph(parts, id);
}

/** @throws ReefError `not-found` */
export async function keepAsIs(parts: RepositoryContext, id: ImageId): Promise<void> {
  await editImage(parts, id, { keptAsIs: true });
}

export async function imagesOfSurvey(parts: RepositoryContext, surveyId: SurveyId): Promise<readonly ReadDoc[]> {
  await parts.projector.settle();
  return (await parts.model).find('image', { surveyId });
}

/** @throws ReefError `not-found` */
async function editImage(parts: RepositoryContext, id: ImageId, changes: JsonObject): Promise<void> {
  await mutex.run(id, async () => {
    const draft = draftEdit(await requireImage(parts, id), changes, draftFacts(parts, 'image'));
    if (draft !== undefined) await saveOp(parts, draft);
  });
}

/**
 * Sets fields of several photographs in one transaction. Removed ones are skipped.
 * @returns number of photographs present
 */
export async function editImages(parts: RepositoryContext, changes: ReadonlyMap<ImageId, JsonObject>): Promise<number> {
  return mutex.run([...changes.keys()], async () => {
    const facts = draftFacts(parts, 'image');
    const there = (await readDocuments(parts, 'image', [...changes.keys()])).filter(({ folded }) => !folded.deleted);
    await saveOps(
      parts,
      there.flatMap((image) => draftEdit(image, changes.get(image.docId as ImageId) ?? {}, facts) ?? []),
    );
    return there.length;
  });
}

async function requireImage(parts: RepositoryContext, id: ImageId): ReturnType<typeof readDocument> {
  const image = await readDocument(parts, 'image', id);
  if (image.folded.deleted) throw new ReefError('not-found', { message: 'This photograph was removed.' });
  return image;
}
