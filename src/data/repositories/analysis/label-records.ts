import type { ReadLabelRecord } from '../../../domain/analysis/labelling/label-record';
import { labelRecordBody, readLabelRecord } from '../../../domain/analysis/labelling/label-record';
import type { LabelLogs } from '../../../domain/analysis/labelling/label-marks';
import { labelVersion } from '../../../domain/analysis/labelling/label-versions';
import { labellingOf } from '../../../domain/analysis/labelling/labelling';
import { omitMembers } from '../../../domain/analysis/record-head';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId, ImageId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { DocumentState } from '../../../domain/op/draft';
import { shownWrites } from '../../../domain/op/draft';
import { WHOLE } from '../../../domain/op/op';
import type { ClosedJournal } from '../../ops/append';
import type { JournalBase } from '../../ops/journals/journal-rows';
import type { RepositoryContext } from '../repository-context';
import { readDocuments } from '../repository-context';
import { eventTags, labelAuthor } from './label-author';
import type { OpenedWork } from './journalled-work';
import type { OwnAnalyses } from './own-analyses';
import type { LabelResult } from './types';
import { firstThatFits, latestArrival, previewBytes, recordPicture, requireAuthor, writeRecord } from './write-record';

/** Labelled record of the current user. */
interface StoredLabels {
  readonly id: AnalysisId;
  readonly state: DocumentState;
  readonly body: JsonObject;
  readonly read: Exclude<ReadLabelRecord, { readonly kind: 'other' }>;
}

/** Labelled records of a photograph by the current user: readable before unreadable, newest first. */
export async function storedLabels(
  parts: RepositoryContext,
  own: OwnAnalyses,
  imageId: ImageId,
): Promise<readonly StoredLabels[]> {
  const documents = await readDocuments(parts, 'analysis', await own.ofImage(imageId));
  const found = documents.flatMap((document): StoredLabels[] => {
    const { folded, docId } = document;
    const read = readLabelRecord(folded.doc);
    if (folded.deleted || read.kind === 'other') return [];
    return [{ id: docId as AnalysisId, state: document, body: folded.doc, read }];
  });
  const rank = ({ read }: StoredLabels): number => (read.kind === 'labels' ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b) || latestArrival(parts, b.id) - latestArrival(parts, a.id));
}

export function baseOfLabels({ id, state, body }: StoredLabels): JournalBase {
  return { analysisId: id, writes: shownWrites(state.folded, WHOLE), body: omitMembers(body, ['preview', 'id']) };
}

/** Logs with which the work began. */
export function logsOfBase(base: JournalBase | null): LabelLogs {
  const read = base === null ? undefined : readLabelRecord(base.body);
  return read?.kind === 'labels' ? read.logs : {};
}

/**
 * Writes a labelled record and ends its journal.
 * @throws ReefError as `AnalysisRepository.saveLabelling`
 */
export async function saveLabels(
  parts: RepositoryContext,
  result: LabelResult,
  { base, analysisId }: OpenedWork,
  journal: ClosedJournal,
): Promise<JournalBase> {
  const { outlines, version, logs, sessions, cover } = result;
  const { author, domains } = await labelAuthor(parts);
  const id = base?.analysisId ?? analysisId;
  const preview = await previewBytes(parts, result.preview);
  const record = {
    ...(await recordPicture(parts, result.image)),
    id,
    savedAt: parts.store.isoNow(),
    author,
    set: outlines,
    state: labellingOf(labelVersion(version), outlines.outlines, logs),
    logs,
    sessions,
    cover,
    eventTags: await eventTags(parts, domains, result.eventTags),
    preview,
    previous: base?.body ?? null,
  };
  const bare = { ...record, preview: null };
  const body = firstThatFits([
    () => labelRecordBody(record),
    () => labelRecordBody(bare),
    () => labelRecordBody(bare, { isLean: true }),
  ]);
  if (body === undefined)
    throw new ReefError('too-large', {
      field: 'outlines',
      message:
        'This analysis has more outlines than one record can hold. Nothing is lost. Remove some of the outlines that you drew, then save again.',
    });
  requireAuthor(parts, author);
  const op = await writeRecord(parts, id, body, base?.writes ?? null, journal);
  return { analysisId: id, writes: [op], body: omitMembers(body, ['preview', 'id']) };
}
