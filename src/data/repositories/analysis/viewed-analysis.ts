import { readStats } from '../../../domain/analysis/free-draw/expert-form';
import { readFreeDraw } from '../../../domain/analysis/free-draw/record';
import { readLabelRecord } from '../../../domain/analysis/labelling/label-record';
import { readLabelCover } from '../../../domain/analysis/labelling/label-stats';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import type { RepositoryContext } from '../repository-context';
import { textOr } from '../repository-context';
import { fileNames } from './analysis-lists';
import { surveyAnalysisView } from './survey-analyses';
import type { AnalysisContent, ViewedAnalysis } from './types';

/** Opens an analysis for viewing. @throws ReefError as `AnalysisRepository.viewed` */
export async function viewedAnalysis(parts: RepositoryContext, id: AnalysisId): Promise<ViewedAnalysis> {
  const model = await parts.model;
  const [document] = parts.access.filterVisible('analysis', await model.find('analysis', { id }));
  if (document === undefined) throw new ReefError('not-found');
  const { image } = document.doc;
  const imageId = isObject(image) ? textOr(image['id'], '') : '';
  const images = parts.access.filterVisible('image', await model.find('image', { id: imageId }));
  return { ...surveyAnalysisView(parts, document, fileNames(images)), content: contentOf(document.doc) };
}

/** Content of a record for viewing; never throws. */
export function contentOf(doc: JsonObject): AnalysisContent {
  const traces = readFreeDraw(doc);
  if (traces.kind === 'free-draw') {
    const { version, marks, size, unknown } = traces;
    return { kind: 'free-draw', version, marks, size, stats: readStats(doc), unknown: sum(unknown) };
  }
  if (traces.kind !== 'other') return { kind: traces.kind };
  const labels = readLabelRecord(doc);
  if (labels.kind !== 'labels') return { kind: labels.kind === 'broken' ? 'broken' : 'other-version' };
  const { version, set, logs, unknown } = labels;
  return {
    kind: 'labels',
    version: version.version,
    outlines: set,
    logs,
    cover: readLabelCover(doc),
    unknown: sum(unknown),
  };
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);
