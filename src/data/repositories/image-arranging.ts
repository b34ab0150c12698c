import { ReefError } from '../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../domain/ids';
import { moved, orderOf } from '../../domain/image/order';
import type { JsonObject } from '../../domain/json';
import { draftDelete, draftEdit, draftRestore } from '../../domain/op/draft';
import type { ReadDoc } from '../db/read-model';
import type { Added } from './image-adding';
import { addPhotograph, knownHere, whileAlone } from './image-adding';
import { inOrder } from './image-view';
import type { Parts } from './parts';
import { draftFacts, save, saveTogether, seen, seenAll, textOr } from './parts';
import type { Person } from './person-repository';
import { keyedTurns } from './turns';

/**
 * What is written of one photograph takes turns, and so does moving within one survey: two edits that saw the same state
 * would stand against one another, and one that did not see a removal would bring the photograph back.
 */
const turn = keyedTurns<ImageId | SurveyId>();

/** Deletes a photograph's record, softly. @throws ReefError `not-found` */
export async function removePhotograph(parts: Parts, id: ImageId): Promise<void> {
  await turn(id, async () => {
    await save(parts, draftDelete(await seenHere(parts, id), draftFacts(parts, 'image')));
  });
}

/** Brings a removed photograph back to its place. @throws ReefError `not-found`, `image-exists` */
export async function restorePhotograph(parts: Parts, id: ImageId): Promise<void> {
  const { doc } = (await seen(parts, 'image', id)).folded;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const [surveyId, sha256] = [textOr(survey?.id, '') as SurveyId, textOr(doc['sha256'], '') as Sha256];
  // The same file may be on its way in again meanwhile: one of the two waits and finds the other.
  await whileAlone(parts, surveyId, sha256, undefined, () =>
    turn(id, async () => {
      const image = await seen(parts, 'image', id);
      if (!image.folded.deleted) return;
      const again = await knownHere(parts, surveyId, sha256);
      if (again !== undefined)
        throw new ReefError('image-exists', {
          message: 'This photograph was added again meanwhile. It is in the survey already.',
        });
      await save(parts, draftRestore(image, draftFacts(parts, 'image')));
    }),
  );
}

/** Puts photographs together before another one, or at the end. */
export async function movePhotographs(
  parts: Parts,
  surveyId: SurveyId,
  ids: readonly ImageId[],
  before: ImageId | null,
): Promise<void> {
  await turn(surveyId, async () => {
    const sorted = inOrder(await imagesOf(parts, surveyId)).map(({ id, doc, createdAt }) => ({
      id,
      order: orderOf({ ...doc, id, createdAt }),
    }));
    await editThose(parts, new Map([...moved(sorted, ids, before)].map(([id, order]) => [id as ImageId, { order }])));
  });
}

/** Takes a photograph again: the new one stands where the old one stood, which is removed once the new one is saved. */
export async function retakePhotograph(
  parts: Parts,
  id: ImageId,
  file: File,
  signal?: AbortSignal,
  by?: Person,
): Promise<Added> {
  const { doc } = (await seenHere(parts, id)).folded;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const added = await addPhotograph(parts, file, textOr(survey?.id, '') as SurveyId, signal, {
    order: orderOf({ ...doc, id }),
    retakeOf: id,
    by,
  });
  // The same file again, or one that the survey has in another place: nothing takes the old one's place.
  if (added.outcome === 'saved') await removePhotograph(parts, id);
  return added;
}

/** Says that a photograph stays as it is, whatever its hints. @throws ReefError `not-found` */
export async function keepAsIs(parts: Parts, id: ImageId): Promise<void> {
  await edit(parts, id, { keptAsIs: true });
}

/** The documents of a survey's photographs that are not removed, as of everything that is saved. */
export async function imagesOf(parts: Parts, surveyId: SurveyId): Promise<readonly ReadDoc[]> {
  await parts.projector.settle();
  return (await parts.model).find('image', { surveyId });
}

/** Sets fields of a photograph's record. @throws ReefError `not-found` */
async function edit(parts: Parts, id: ImageId, changes: JsonObject): Promise<void> {
  await turn(id, async () => {
    const draft = draftEdit(await seenHere(parts, id), changes, draftFacts(parts, 'image'));
    if (draft !== undefined) await save(parts, draft);
  });
}

/**
 * Sets fields of several photographs' records in one transaction: all or none. Those that were removed meanwhile are left out.
 *
 * @returns how many are there, changed or as they were
 */
export async function editThose(parts: Parts, changes: ReadonlyMap<ImageId, JsonObject>): Promise<number> {
  return turn([...changes.keys()], async () => {
    const facts = draftFacts(parts, 'image');
    const there = (await seenAll(parts, 'image', [...changes.keys()])).filter(({ folded }) => !folded.deleted);
    await saveTogether(
      parts,
      there.flatMap((image) => draftEdit(image, changes.get(image.docId as ImageId) ?? {}, facts) ?? []),
    );
    return there.length;
  });
}

async function seenHere(parts: Parts, id: ImageId): ReturnType<typeof seen> {
  const image = await seen(parts, 'image', id);
  if (image.folded.deleted) throw new ReefError('not-found', { message: 'This photograph was removed.' });
  return image;
}
