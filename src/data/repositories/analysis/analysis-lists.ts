import { isJsonEqual } from '../../../base/observable';
import { readFreeDraw, recordVersion } from '../../../domain/analysis/free-draw/record';
import { readExpertForm, readStats } from '../../../domain/analysis/free-draw/expert-form';
import { fromBase64 } from '../../../domain/base64';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { ReadDoc } from '../../db/read-model';
import type { JournalRow } from '../../ops/database';
import { parseRowId, replay } from '../../ops/stroke-journals';
import type { AnalysisView, UnfinishedWork } from './types';
import { marksOfBase } from './analysis-records';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';
import { custodyOfDocument, liveDocuments, readDocuments, textOr } from '../repository-context';

/** Classes named in a list. */
const FOUND_MAX = 2;

/** Keeps unchanged views identical, so that they are not rendered again. */
const viewCache = new WeakMap<ReadDoc, AnalysisView>();

export function liveOwnAnalyses(parts: RepositoryContext): LiveQuery<AnalysisView> {
  return liveDocuments<AnalysisView>(parts, {
    kinds: ['analysis', 'image'],
    alsoFollow: (changed) => parts.opIndex.onChange(changed),
    view: ({ analysis = [], image = [] }) => {
      const files = fileNames(image);
      const { ownIds } = parts.access;
      return analysis
        .filter(({ doc }) => ownIds.has(recordOwner(doc) ?? ''))
        .map((document) => analysisView(parts, document, files))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    },
  });
}

/** File names of photographs on this tablet, by id. */
export function fileNames(images: readonly ReadDoc[]): ReadonlyMap<string, string> {
  return new Map(images.map(({ id, doc }) => [id, textOr(doc['path'], '')]));
}

export function analysisView(
  parts: RepositoryContext,
  document: ReadDoc,
  files: ReadonlyMap<string, string>,
): AnalysisView {
  const custody = custodyOfDocument(parts, 'analysis', document.id);
  const image = isObject(document.doc['image']) ? document.doc['image'] : {};
  const file = files.get(textOr(image['id'], '')) ?? '';
  const known = viewCache.get(document);
  if (known?.file === file && isJsonEqual(known.custody, custody)) return known;
  const { id, doc, updatedAt } = document;
  const read = readFreeDraw(doc);
  const isForm = read.kind === 'free-draw' ? read.isForm : read.kind !== 'broken' && readExpertForm(doc) !== null;
  const survey = isObject(doc['survey']) ? doc['survey'] : {};
  const version = recordVersion(doc);
  const made: AnalysisView = {
    id: id as AnalysisId,
    imageId: textOr(image['id'], '') as ImageId,
    survey: { id: textOr(survey['id'], '') as SurveyId, name: textOr(survey['name'], '') },
    file,
    found: foundIn(doc),
    version: Number.isFinite(version) ? version : null,
    coverage: isForm || read.kind === 'broken' || read.kind === 'other-version' ? null : coverageIn(doc),
    isForm,
    isVerified: doc['verified'] === true,
    updatedAt,
    preview: known?.preview ?? previewOf(doc['preview']),
    custody,
  };
  viewCache.set(document, made);
  return made;
}

function foundIn(doc: ReadDoc['doc']): AnalysisView['found'] {
  return (readStats(doc)?.categories ?? [])
    .toSorted((a, b) => b.coverage - a.coverage)
    .slice(0, FOUND_MAX)
    .map(({ label, mod, coverage }) => ({
      label: mod === undefined || mod === 'live' ? label : `${label}, ${mod}`,
      coverage,
    }));
}

function coverageIn(doc: ReadDoc['doc']): number | null {
  const stats = readStats(doc);
  if (stats !== null) return stats.coverage;
  const other = doc['stats'];
  return isObject(other) && typeof other['coverage'] === 'number' ? other['coverage'] : null;
}

/** Preview picture of a record; null if it has no valid one. */
function previewOf(value: unknown): Blob | null {
  const bytes = typeof value === 'string' ? fromBase64(value) : null;
  if (bytes === null || bytes.length < 12) return null;
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const isWebp = String.fromCharCode(...bytes.subarray(8, 12)) === 'WEBP';
  return isJpeg || isWebp ? new Blob([bytes], { type: isJpeg ? 'image/jpeg' : 'image/webp' }) : null;
}

/** Journals of the current user that contain marks. */
export function liveUnfinished(parts: RepositoryContext): LiveQuery<UnfinishedWork> {
  const { store, access } = parts;
  return createLiveQuery<UnfinishedWork>({
    resetOn: access.changed,
    start: (tell) => {
      let ended = false;
      let rows: readonly JournalRow[] | undefined;
      const show = (): void => {
        if (rows === undefined) return;
        unfinishedOf(parts, rows).then(
          (items) => {
            if (!ended) tell.items(items);
          },
          (error: unknown) => tell.failed(error),
        );
      };
      const stops = [
        store.watch(
          () => store.db.journals.toArray(),
          (now) => {
            rows = now;
            show();
          },
        ),
        access.changed.subscribe(show),
      ];
      return () => {
        ended = true;
        stops.forEach((stop) => stop());
      };
    },
  });
}

async function unfinishedOf(parts: RepositoryContext, rows: readonly JournalRow[]): Promise<readonly UnfinishedWork[]> {
  const { ownIds } = parts.access;
  const journals = new Map<ImageId, JournalRow[]>();
  for (const row of rows) {
    const name = parseRowId(row.id);
    if (name !== undefined && ownIds.has(name.uid))
      journals.set(name.imageId, [...(journals.get(name.imageId) ?? []), row]);
  }
  const found = [...journals].map(([imageId, its]) => ({
    imageId,
    read: replay(its, its.length, (begin) => marksOfBase(begin?.base ?? null)),
  }));
  const unnamed = found.filter(({ read }) => read.begin === null).map(({ imageId }) => imageId);
  const surveys = new Map(
    (await readDocuments(parts, 'image', unnamed)).map(({ docId, folded }) => [
      docId,
      isObject(folded.doc['survey']) ? folded.doc['survey'] : {},
    ]),
  );
  return found
    .filter(({ read }) => read.marks.length > 0 || read.undone.length > 0)
    .map(({ imageId, read: { begin, marks, at } }): UnfinishedWork => {
      const survey: { readonly [member: string]: unknown } = begin?.survey ?? surveys.get(imageId) ?? {};
      return {
        imageId,
        surveyId: textOr(survey['id'], '') as SurveyId,
        surveyName: textOr(survey['name'], ''),
        marks: marks.length,
        at: at ?? '',
      };
    })
    .filter(({ surveyId }) => surveyId !== '')
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}
