import { canonicalJson } from '../../../domain/canonical';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { FormFields } from '../../../domain/analysis/free-draw/expert-form';
import { expertFormBody, readExpertForm } from '../../../domain/analysis/free-draw/expert-form';
import { canBeTraced } from '../../../domain/analysis/free-draw/raster-rule';
import type { PreservedTraces, NewFreeDraw, ReadFreeDraw } from '../../../domain/analysis/free-draw/record';
import { freeDrawBody, NO_PRESERVED_TRACES, readFreeDraw } from '../../../domain/analysis/free-draw/record';
import { omitMembers } from '../../../domain/analysis/record-head';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { DocumentState } from '../../../domain/op/draft';
import { shownWrites } from '../../../domain/op/draft';
import { WHOLE } from '../../../domain/op/op';
import type { ClosedJournal } from '../../ops/append';
import type { JournalBase } from '../../ops/journals/journal-rows';
import type { FreeDrawResult, TraceImage } from './types';
import type { OpenedWork } from './journalled-work';
import type { OwnAnalyses } from './own-analyses';
import type { RepositoryContext } from '../repository-context';
import { readDocuments } from '../repository-context';
import {
  currentAuthor,
  firstThatFits,
  latestArrival,
  previewBytes,
  readOnlyError,
  recordPicture,
  requireAuthor,
  writeRecord,
} from './write-record';

/** Stored analysis of the current user. */
interface StoredRecord {
  readonly id: AnalysisId;
  readonly state: DocumentState;
  readonly body: JsonObject;
  readonly read: Exclude<ReadFreeDraw, { readonly kind: 'other' }>;
}

export interface OpenedAnalysis extends OpenedWork {
  readonly kept: PreservedTraces;
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
    return [{ id: docId as AnalysisId, state: document, body: folded.doc, read }];
  });
  const rank = ({ read }: StoredRecord): number => (read.kind !== 'free-draw' ? 2 : read.isForm ? 1 : 0);
  return found.sort((a, b) => rank(a) - rank(b) || latestArrival(parts, b.id) - latestArrival(parts, a.id));
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

/**
 * Writes a free-draw analysis and ends its journal.
 * @throws ReefError as `AnalysisRepository.saveFreeDraw`
 */
export async function saveFreeDraw(
  parts: RepositoryContext,
  own: OwnAnalyses,
  result: FreeDrawResult,
  { base: begun, analysisId, kept }: OpenedAnalysis,
  journal: ClosedJournal,
): Promise<OpenedAnalysis & { readonly base: JournalBase }> {
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
  requireAuthor(parts, author);
  const op = await writeRecord(parts, id, body, base?.writes ?? null, journal);
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
    const body = firstThatFits(tries);
    if (body !== undefined) return body;
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

/** True for a record that the percentages of its photograph belong to: a form, or a tracing of version 3 (2§3). */
export const absorbsForm = ({ read, body }: StoredRecord): boolean =>
  (read.kind === 'free-draw' && read.version === 3) || readExpertForm(body) !== null;

/**
 * Writes a form and ends its journal; a version-3 record of the same photograph absorbs it (2§3: it "also holds an
 * analysis map").
 *
 * @param fresh id of a record that does not exist yet
 */
export async function saveForm(
  parts: RepositoryContext,
  own: OwnAnalyses,
  image: TraceImage,
  analysisId: AnalysisId | null,
  form: FormFields,
  fresh: AnalysisId,
  journal: ClosedJournal,
): Promise<JournalBase> {
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
  const id = before?.id ?? fresh;
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
  requireAuthor(parts, author);
  const writes = before === undefined ? null : shownWrites(before.state.folded, WHOLE);
  const op = await writeRecord(parts, id, body, writes, journal);
  return { analysisId: id, writes: [op], body };
}
