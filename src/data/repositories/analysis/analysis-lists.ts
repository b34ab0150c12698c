import { isJsonEqual } from '../../../base/observable';
import { readFreeDraw } from '../../../domain/analysis/free-draw/record';
import { recordVersion } from '../../../domain/analysis/record-head';
import { readExpertForm, readStats } from '../../../domain/analysis/free-draw/expert-form';
import { labelOptionOf } from '../../../domain/analysis/labelling/label-sets';
import { readLabelCover } from '../../../domain/analysis/labelling/label-stats';
import { isLabelVersion, labelVersion } from '../../../domain/analysis/labelling/label-versions';
import { fromBase64 } from '../../../domain/base64';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { ReadDoc } from '../../db/read-model';
import type { AnalysisView } from './types';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import { custodyOfDocument, liveDocuments, textOr } from '../repository-context';

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
  const survey = isObject(doc['survey']) ? doc['survey'] : {};
  const version = recordVersion(doc);
  const made: AnalysisView = {
    id: id as AnalysisId,
    imageId: textOr(image['id'], '') as ImageId,
    survey: { id: textOr(survey['id'], '') as SurveyId, name: textOr(survey['name'], '') },
    file,
    ...factsOf(doc),
    version: Number.isFinite(version) ? version : null,
    isVerified: doc['verified'] === true,
    updatedAt,
    preview: known?.preview ?? previewOf(doc['preview']),
    custody,
  };
  viewCache.set(document, made);
  return made;
}

/** Kind of a record, what was found in it, and how much of the picture that is. */
function factsOf(doc: ReadDoc['doc']): Pick<AnalysisView, 'kind' | 'found' | 'coverage'> {
  const read = readFreeDraw(doc);
  if (read.kind === 'other') return labelFacts(doc);
  const isForm = read.kind === 'free-draw' ? read.isForm : read.kind !== 'broken' && readExpertForm(doc) !== null;
  const stats = readStats(doc);
  const found = (stats?.categories ?? []).map(({ label, mod, coverage }) => ({
    label: mod === undefined || mod === 'live' ? label : `${label}, ${mod}`,
    coverage,
  }));
  return {
    kind: isForm ? 'form' : 'free-draw',
    found: largest(found),
    coverage: isForm || read.kind !== 'free-draw' ? null : (stats?.coverage ?? coverageIn(doc)),
  };
}

/** Facts of a labelling, from its stats: its outlines are not read for a list. */
function labelFacts(doc: ReadDoc['doc']): Pick<AnalysisView, 'kind' | 'found' | 'coverage'> {
  const version = recordVersion(doc);
  const isKnown = isLabelVersion(version) && typeof doc['geobuf_string'] === 'string';
  const [step] = labelVersion(version).steps;
  const found = Object.entries(readLabelCover(doc)).map(([id, coverage]) => ({
    label: labelOptionOf(step.set, id)?.label ?? id,
    coverage,
  }));
  return { kind: 'labels', found: isKnown ? largest(found) : [], coverage: isKnown ? coverageIn(doc) : null };
}

const largest = (found: AnalysisView['found']): AnalysisView['found'] =>
  found.toSorted((a, b) => b.coverage - a.coverage).slice(0, FOUND_MAX);

function coverageIn({ stats }: ReadDoc['doc']): number | null {
  return isObject(stats) && typeof stats['coverage'] === 'number' ? stats['coverage'] : null;
}

/** Preview picture of a record; null if it has no valid one. */
function previewOf(value: unknown): Blob | null {
  const bytes = typeof value === 'string' ? fromBase64(value) : null;
  if (bytes === null || bytes.length < 12) return null;
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const isWebp = String.fromCharCode(...bytes.subarray(8, 12)) === 'WEBP';
  return isJpeg || isWebp ? new Blob([bytes], { type: isJpeg ? 'image/jpeg' : 'image/webp' }) : null;
}
