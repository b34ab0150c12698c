import type { RecordAuthor, RecordPicture } from '../../../domain/analysis/record-head';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId, OpId, PersonId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { LIMITS } from '../../../domain/limits';
import type { OpDraft } from '../../../domain/op/draft';
import { draftEdit, draftFirst } from '../../../domain/op/draft';
import { WHOLE } from '../../../domain/op/op';
import type { ClosedJournal } from '../../ops/append';
import { append } from '../../ops/append';
import { storedRoles } from '../account/person-roles';
import type { RepositoryContext } from '../repository-context';
import { currentPerson, draftFacts, readDocument, readDocuments } from '../repository-context';
import type { TraceImage } from './types';

/** Allowance for the message around the body, in UTF-16 code units. */
const ENVELOPE = 16 * 1024;
/** Largest preview, in bytes; larger ones are left out. */
const PREVIEW_MAX = 64 * 1024;

export async function currentAuthor(parts: RepositoryContext): Promise<RecordAuthor> {
  const { uid, name } = currentPerson(parts);
  return { uid, name, ...(await storedRoles(parts.store, uid)) };
}

/** Image and survey as a record names them. */
export async function recordPicture(
  parts: RepositoryContext,
  { id, survey, path, source }: TraceImage,
): Promise<RecordPicture> {
  const [document] = source === 'own' ? await readDocuments(parts, 'image', [id]) : [];
  const user = document?.folded.doc['user'];
  const uid =
    typeof user === 'object' && user !== null && 'uid' in user && typeof user.uid === 'string'
      ? (user.uid as PersonId)
      : null;
  return { image: { id, path, user: uid === null ? null : { uid } }, survey };
}

/** Bytes of a preview; null for none, or one that is too large. */
export async function previewBytes({ store }: RepositoryContext, preview: Blob | null): Promise<Uint8Array | null> {
  if (preview === null) return null;
  if (preview.size > PREVIEW_MAX) {
    store.host.log.note('info', 'The preview of an analysis is too large; saving without it.', { bytes: preview.size });
    return null;
  }
  return new Uint8Array(await preview.arrayBuffer());
}

/** First of these bodies that a server's message can hold; undefined if none. */
export function firstThatFits(tries: readonly (() => JsonObject)[]): JsonObject | undefined {
  for (const make of tries) {
    const body = make();
    if (JSON.stringify(body).length + ENVELOPE <= LIMITS.messageBytesMax) return body;
  }
  return undefined;
}

/** Requires that the author is still the current user. @throws ReefError `unlinked-survey` */
export function requireAuthor(parts: RepositoryContext, { uid }: RecordAuthor): void {
  if (currentPerson(parts).uid === uid) return;
  throw new ReefError('unlinked-survey', {
    message:
      'Someone else is using this tablet now. The earlier work is saved. Its author can switch user and open the photograph again.',
  });
}

/**
 * Writes one operation and returns its id.
 * @param writes ids that it replaces; null for a first write
 */
export async function writeRecord(
  parts: RepositoryContext,
  id: AnalysisId,
  body: JsonObject,
  writes: readonly OpId[] | null,
  journal?: ClosedJournal,
): Promise<OpId> {
  const { store, opIndex, projector } = parts;
  const op = await append(store, await draftOf(parts, id, body, writes), undefined, journal);
  await opIndex.follow();
  projector.schedule();
  return op.opId;
}

async function draftOf(
  parts: RepositoryContext,
  id: AnalysisId,
  body: JsonObject,
  writes: readonly OpId[] | null,
): Promise<OpDraft> {
  const facts = draftFacts(parts, 'analysis');
  if (writes === null) return draftFirst('analysis', { ...body, isDeleted: false }, facts);
  const edit = draftEdit(await readDocument(parts, 'analysis', id), { ...body, id, isDeleted: false }, facts);
  // Concurrent writes stay as a conflict for a person to resolve.
  return {
    ...(edit ?? { ...draftFirst('analysis', { ...body, isDeleted: false }, facts) }),
    over: { [WHOLE]: writes },
  };
}

/** Arrival number of the latest operation of an analysis here: greater for a later one. */
export function latestArrival({ opIndex }: RepositoryContext, id: AnalysisId): number {
  return Math.max(0, ...opIndex.entriesOf('analysis', id).map(({ arrival }) => arrival));
}

/** Error for a change to a record that this app cannot read. */
export function readOnlyError(): ReefError {
  return new ReefError('unsupported-version', {
    field: 'analysis',
    message: 'This app cannot read the saved analysis of this photograph. The saved analysis stays unchanged.',
  });
}
