import { lazyRepository } from '../lazy-repository';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import type { OpenAnalysisRepository } from './open-analysis-repository';
import type { AnalysisRepository } from './types';

/**
 * Creates the repository, which loads on first use: a tablet that only captures never needs it.
 *
 * @param name of the database that caches census images
 */
export function createAnalysisRepository(
  parts: RepositoryContext,
  name: string,
): AnalysisRepository & { readonly close: () => void } {
  const lazy = lazyRepository(async () =>
    (await import('./open-analysis-repository')).openAnalysisRepository(parts, name),
  );
  const lazyQuery = <Item>(pick: (ready: OpenAnalysisRepository) => LiveQuery<Item>): LiveQuery<Item> =>
    lazy.query(pick, parts.access.changed);
  return {
    ...lazy.methods(
      'image',
      'picture',
      'corrected',
      'next',
      'preload',
      'freeDraw',
      'saveFreeDraw',
      'expertForm',
      'saveExpertForm',
      'roles',
    ),
    journal: (image) => {
      // Begun now: a journal belongs to the person who opened it.
      const journal = lazy.load().then((ready) => ready.journal(image));
      // Callers get the error; a failed load must not also be an unhandled rejection.
      journal.catch(() => undefined);
      return lazyRepository(() => journal).methods('apply');
    },
    mine: lazyQuery((ready) => ready.mine),
    ofSurvey: (surveyId) => lazyQuery((ready) => ready.ofSurvey(surveyId)),
    unfinished: lazyQuery((ready) => ready.unfinished),
    close: () => lazy.dispose((ready) => ready.close()),
  };
}
