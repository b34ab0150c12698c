import { readExpertForm } from '../../../domain/analysis/free-draw/expert-form';
import type { SurveyId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { ReadDoc } from '../../db/read-model';
import { analysisView, fileNames } from './analysis-lists';
import type { SurveyAnalysisView } from './types';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import { liveDocuments, textOr } from '../repository-context';

/** Analyses of a survey that the current user may see, newest first. */
export function liveSurveyAnalyses(parts: RepositoryContext, surveyId: SurveyId): LiveQuery<SurveyAnalysisView> {
  return liveDocuments<SurveyAnalysisView>(parts, {
    kinds: ['analysis', 'image'],
    alsoFollow: (changed) => parts.opIndex.onChange(changed),
    view: ({ analysis = [], image = [] }) => {
      const files = fileNames(image);
      const of = analysis.filter(({ doc }) => isObject(doc['survey']) && doc['survey']['id'] === surveyId);
      return of
        .map((document) => surveyAnalysisView(parts, document, files))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    },
  });
}

/** @param files names of photographs by id */
export function surveyAnalysisView(
  parts: RepositoryContext,
  document: ReadDoc,
  files: ReadonlyMap<string, string>,
): SurveyAnalysisView {
  const view = analysisView(parts, document, files);
  return {
    ...view,
    form: view.kind === 'form' ? readExpertForm(document.doc) : null,
    author: authorOf(document),
    isOwn: parts.access.ownIds.has(recordOwner(document.doc) ?? ''),
  };
}

function authorOf({ doc }: ReadDoc): string | null {
  const user = isObject(doc['user']) ? doc['user'] : {};
  const name = user['name'];
  if (!isObject(name)) return textOr(name, null);
  const words = [textOr(name['first'], ''), textOr(name['last'], '')].join(' ').trim();
  return words === '' ? null : words;
}
