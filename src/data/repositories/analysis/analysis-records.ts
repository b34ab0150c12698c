import { canonicalJson } from '../../../domain/canonical';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { FormFields } from '../../../domain/analysis/free-draw/expert-form';
import { expertFormBody, readExpertForm } from '../../../domain/analysis/free-draw/expert-form';
import { canBeTraced } from '../../../domain/analysis/free-draw/raster-rule';
import type {
  PreservedTraces,
  NewFreeDraw,
  ReadFreeDraw,
  RecordAuthor,
  RecordPicture,
} from '../../../domain/analysis/free-draw/record';
import {
  freeDrawBody,
  NO_PRESERVED_TRACES,
  readFreeDraw,
  omitMembers,
} from '../../../domain/analysis/free-draw/record';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId, OpId, PersonId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { LIMITS } from '../../../domain/limits';
import type { OpDraft, DocumentState } from '../../../domain/op/draft';
import { draftEdit, draftFirst, shownWrites } from '../../../domain/op/draft';
import { WHOLE } from '../../../domain/op/op';
import { append } from '../../ops/append';
import type { ClosedJournal } from '../../ops/append';
import type { JournalBase } from '../../ops/stroke-journals';
import type { FreeDrawResult, TraceImage } from './types';
import type { OwnAnalyses } from './own-analyses';
import type { RepositoryContext } from '../repository-context';
import { draftFacts, currentPerson, readDocument, readDocuments } from '../repository-context';
import { storedRoles } from '../account/person-roles';

/** Allowance for the message around the body, in UTF-16 code units. */
const ENVELOPE = 16 * 1024;
/** Largest preview, in bytes; larger ones are left out. */
const PREVIEW_MAX = 64 * 1024;

/** Stored analysis of the current user. */
interface StoredRecord {
  readonly id: AnalysisId;
  readonly state: DocumentState;
  readonly body: JsonObject;
  readonly read: Exclude<ReadFreeDraw, { readonly kind: 'other' }>;
  readonly updatedAt: string;
}

/** State of a photograph's analysis in this tab: the base for saving. */
export interface OpenedAnalysis {
  readonly base: JournalBase | null;
  /** Id of the analysis, existing or to be created. */
  readonly analysisId: AnalysisId;
  readonly kept: PreservedTraces;
  readonly readOnly: 'broken' | 'other-version' | null;
}

/**
 * Free-draw analyses of a photograph by the current user: readable before unreadable, traces before forms, newest
 * first.
 */
export async function storedRecords(
  parts: RepositoryContext,
  own: OwnAnalyses,
  { id: imageId }: Pick<TraceImage, 'id'>,
): Promise<readonly StoredRecord[]> {
  const documents = await readDocuments(parts, 'analysis', await own.ofImage(imageId));
  const found = documents.flatMap((document): StoredRecord[] => {
    const { folded, docId } = document;
    const read = readFreeDraw(folded.doc);
    if (folded.deleted || read.kind === 'other') return [];
    return [{ id: docId as AnalysisId, state: document, body: folded.doc, read, updatedAt: latestTime(parts, docId) }];
  });
  const rank = ({ read }: StoredRecord): number => (read.kind !== 'free-draw' ? 2 : read.isForm ? 1 : 0);
  return found.sort((a, b) => rank(a) - rank(b) || (a.updatedAt < b.updatedAt ? 1 : -1));
}

function latestTime({ opIndex }: RepositoryContext, docId: string): string {
  return String(Math.max(0, ...opIndex.entriesOf('analysis', docId).map(({ arrival }) => arrival))).padStart(16, '0');
}

export function baseOf({ id, state: document, body }: StoredRecord): JournalBase {
  return { analysisId: id, writes: shownWrites(document.folded, WHOLE), body: omitMembers(body, ['preview', 'id']) };
}

export function marksOfBase(base: JournalBase | null): readonly FreeDrawMark[] {
  const read = base === null ? undefined : readFreeDraw(base.body);
  return read?.kind === 'free-draw' ? read.marks : [];
}

/** Size in px; null if the record has none, or one that is not valid for a raster. */
export function sizeOfBase(base: JournalBase | null): { readonly width: number; readonly height: number } | null {
  const read = base === null ? undefined : readFreeDraw(base.body);
  return read?.kind === 'free-draw' && read.size !== null && canBeTraced(read.size.width, read.size.height)
    ? read.size
    : null;
}

export function keptOfBase(base: JournalBase | null): PreservedTraces {
  const read = base === null ? undefined : readFreeDraw(base.body);
  return read?.kind === 'free-draw' ? read.preserved : NO_PRESERVED_TRACES;
}

export const mergeKept = (a: PreservedTraces, b: PreservedTraces): PreservedTraces => ({
  features: [...a.features, ...b.features],
  zaps: [...a.zaps, ...b.zaps],
});

async function currentAuthor(parts: RepositoryContext): Promise<RecordAuthor> {
  const { uid, name } = currentPerson(parts);
  return { uid, name, ...(await storedRoles(parts.store, uid)) };
}

async function recordPicture(
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

/**
 * Writes a free-draw analysis and ends its journal.
 * @throws ReefError as `AnalysisRepository.saveFreeDraw`
 */
export async function saveFreeDraw(
  parts: RepositoryContext,
  own: OwnAnalyses,
  result: FreeDrawResult,
  { base: begun, analysisId, kept, readOnly }: OpenedAnalysis,
  journal: ClosedJournal,
): Promise<OpenedAnalysis & { readonly base: JournalBase }> {
  if (readOnly !== null) throw readOnlyError();
  const { store } = parts;
  const author = await currentAuthor(parts);
  const base = mergeForm(begun, await storedRecords(parts, own, result.image));
  const id = base?.analysisId ?? analysisId;
  const preview = await previewBytes(parts, result.preview);
  const record: NewFreeDraw = {
    ...(await recordPicture(parts, result.image)),
    id,
    version: result.version,
    savedAt: store.isoNow(),
    author,
    marks: result.marks,
    width: result.width,
    height: result.height,
    stats: result.stats,
    preview,
    previous: base?.body ?? null,
    preserved: kept,
  };
  const body = fitToMessage(record);
  // The author must still be the current user.
  if (currentPerson(parts).uid !== author.uid)
    throw new ReefError('unlinked-survey', {
      message:
        'Someone else is using this tablet now. The earlier work is saved. Its author can switch user and open the photograph again.',
    });
  const op = await write(parts, id, body, base?.writes ?? null, journal);
  const after: JournalBase = { analysisId: id, writes: [op], body: omitMembers(body, ['preview', 'id']) };
  return { base: after, analysisId: id, kept: keptOfBase(after), readOnly: null };
}

/** Record fields that a form writes; traces and their stats are not among them. */
const FORM_FIELDS = [
  'analysis',
  'id',
  'version',
  'updated',
  'image',
  'survey',
  'sync',
  'user',
  'verified',
  'preview',
  'isDeleted',
  'deletedAt',
];
const withoutFormFields = (body: JsonObject): string => canonicalJson(omitMembers(body, FORM_FIELDS));

/**
 * Base for saving. Percentages typed since the tracing began are merged, since they left the traces unchanged (2§3: it
 * "also holds an analysis map"). Other concurrent writes become a conflict.
 */
function mergeForm(begun: JournalBase | null, stored: readonly StoredRecord[]): JournalBase | null {
  const now =
    begun === null
      ? stored.find(({ read }) => read.kind === 'free-draw' && read.isForm)
      : stored.find(
          ({ id, body }) => id === begun.analysisId && withoutFormFields(body) === withoutFormFields(begun.body),
        );
  return now === undefined ? begun : baseOf(now);
}

/**
 * Record body, reduced until it fits a server's message limit.
 * @throws ReefError `bad-message`, `too-large`
 */
function fitToMessage(record: NewFreeDraw): JsonObject {
  const bare = { ...record, preview: null };
  const tries: readonly (() => JsonObject)[] = [
    () => freeDrawBody(record),
    () => freeDrawBody(bare),
    () => freeDrawBody(bare, { isPacked: true }),
    () => freeDrawBody(bare, { isPacked: true, isLean: true }),
  ];
  try {
    for (const make of tries) {
      const body = make();
      if (JSON.stringify(body).length + ENVELOPE <= LIMITS.messageBytesMax) return body;
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new ReefError('bad-message', {
        field: 'marks',
        message: 'A stroke in this analysis has an invalid position. Undo the last stroke and save again.',
        cause: error,
      });
    throw error;
  }
  throw new ReefError('too-large', {
    field: 'marks',
    message:
      'This analysis has more strokes than one record can hold. Nothing is lost. Undo some small strokes, or fill larger areas instead, then save again.',
  });
}

async function previewBytes({ store }: RepositoryContext, preview: Blob | null): Promise<Uint8Array | null> {
  if (preview === null) return null;
  if (preview.size > PREVIEW_MAX) {
    store.host.log.note('info', 'The preview of an analysis is too large; saving without it.', { bytes: preview.size });
    return null;
  }
  return new Uint8Array(await preview.arrayBuffer());
}

/**
 * Writes one operation and returns its id.
 * @param writes ids that it replaces; null for a first write
 */
async function write(
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

/** Error for a change to a record that this app cannot read. */
export function readOnlyError(): ReefError {
  return new ReefError('unsupported-version', {
    field: 'analysis',
    message: 'This app cannot read the saved analysis of this photograph. The saved analysis stays unchanged.',
  });
}

export async function storedForm(
  parts: RepositoryContext,
  own: OwnAnalyses,
  image: TraceImage,
): Promise<{
  readonly analysisId: AnalysisId;
  readonly form: FormFields;
  readonly readOnly: 'broken' | 'other-version' | null;
} | null> {
  for (const { id, body, read } of await storedRecords(parts, own, image)) {
    const form = readExpertForm(body);
    if (form !== null)
      return { analysisId: id, form, readOnly: read.kind === 'other-version' ? 'other-version' : null };
  }
  return null;
}

/** Writes a form; a version-3 record of the same photograph absorbs it (2§3: it "also holds an analysis map"). */
export async function saveForm(
  parts: RepositoryContext,
  own: OwnAnalyses,
  image: TraceImage,
  analysisId: AnalysisId | null,
  form: FormFields,
): Promise<AnalysisId> {
  const { store } = parts;
  const author = await currentAuthor(parts);
  const stored = await storedRecords(parts, own, image);
  const before =
    analysisId === null
      ? stored.find(({ read }) => read.kind === 'free-draw' && read.version === 3)
      : stored.find(({ id }) => id === analysisId);
  if (analysisId !== null && before === undefined)
    throw new ReefError('not-found', { message: 'This analysis is no longer on this tablet.' });
  if (before?.read.kind === 'other-version') throw readOnlyError();
  const id = before?.id ?? makeId<AnalysisId>(store.host.randomBytes);
  let body: JsonObject;
  try {
    body = expertFormBody({
      ...(await recordPicture(parts, image)),
      id,
      savedAt: store.isoNow(),
      author,
      form,
      previous: before?.body ?? null,
    });
  } catch (error) {
    if (error instanceof RangeError)
      throw new ReefError('bad-message', {
        field: 'percent',
        message: 'A percentage must be a number from 0 to 100.',
        cause: error,
      });
    throw error;
  }
  await write(parts, id, body, before === undefined ? null : shownWrites(before.state.folded, WHOLE));
  return id;
}
