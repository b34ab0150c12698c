import { lazyRepository } from '../lazy-repository';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import type { AnalysisRepositoryOptions, OpenAnalysisRepository } from './open-analysis-repository';
import type { AnalysisRepository } from './types';

interface Journal<Entry> {
  readonly apply: (entry: Entry) => Promise<void>;
}

/** Creates the repository, which loads on first use: a tablet that only captures never needs it. */
export function createAnalysisRepository(
  parts: RepositoryContext,
  options: AnalysisRepositoryOptions,
): AnalysisRepository & { readonly close: () => void } {
  const lazy = lazyRepository(async () =>
    (await import('./open-analysis-repository')).openAnalysisRepository(parts, options),
  );
  const lazyQuery = <Item>(pick: (ready: OpenAnalysisRepository) => LiveQuery<Item>): LiveQuery<Item> =>
    lazy.query(pick, parts.access.changed);
  const journalOf = <Entry>(open: (ready: OpenAnalysisRepository) => Journal<Entry>): Journal<Entry> => {
    // Begun now: a journal belongs to the person who opened it.
    const journal = lazy.load().then(open);
    // Callers get the error; a failed load must not also be an unhandled rejection.
    journal.catch(() => undefined);
    return { apply: async (entry) => (await journal).apply(entry) };
  };
  return {
    ...lazy.methods(
      'image',
      'picture',
      'corrected',
      'next',
      'preload',
      'workTab',
      'freeDraw',
      'saveFreeDraw',
      'outlines',
      'labelling',
      'confirmLabelling',
      'saveLabelling',
      'expertForm',
      'formDraft',
      'saveExpertForm',
      'roles',
      'viewed',
    ),
    journal: (image, version) => journalOf((ready) => ready.journal(image, version)),
    labelJournal: (image) => journalOf((ready) => ready.labelJournal(image)),
    formJournal: (image) => journalOf((ready) => ready.formJournal(image)),
    mine: lazyQuery((ready) => ready.mine),
    ofSurvey: (surveyId) => lazyQuery((ready) => ready.ofSurvey(surveyId)),
    unfinished: lazyQuery((ready) => ready.unfinished),
    close: () => lazy.dispose((ready) => ready.close()),
  };
}
