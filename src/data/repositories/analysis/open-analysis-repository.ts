import { CensusImageCache } from '../../cache/census-image-cache';
import { NO_ROLES, RolesCache } from '../account/person-roles';
import type { RepositoryContext } from '../repository-context';
import { findImage } from './analysis-images';
import { liveOwnAnalyses } from './analysis-lists';
import { loadCorrectedPicture, loadPicture } from './analysis-pictures';
import { EVENTS_REFERENCE } from '../../../domain/event/event-tags';
import type { ImageId } from '../../../domain/ids';
import { followReference } from '../reference-follower';
import type { UsageRepository } from '../tablet/usage-repository';
import { labelWork } from './label-work';
import { outlineSources } from './outlines';
import { formWork } from './form-work';
import { freeDrawWork } from './free-draw-work';
import { nextImage, preload } from './next-image';
import { OwnAnalyses } from './own-analyses';
import { liveSurveyAnalyses } from './survey-analyses';
import type { AnalysisRepository } from './types';
import { liveUnfinished } from './unfinished-work';
import { viewedAnalysis } from './viewed-analysis';
import { WorkTabs } from './work-tabs';

export interface AnalysisRepositoryOptions {
  /** Name of the database that caches census images. */
  readonly name: string;
  readonly usage: UsageRepository;
}

export type OpenAnalysisRepository = AnalysisRepository & { readonly close: () => void };

/** Opens the repository itself; `analysis-repository.ts` loads it lazily. */
export function openAnalysisRepository(
  parts: RepositoryContext,
  { name, usage }: AnalysisRepositoryOptions,
): OpenAnalysisRepository {
  const cache = new CensusImageCache(parts.store.host, name);
  const own = new OwnAnalyses(parts);
  const roles = new RolesCache(parts);
  const { outlines, preload: preloadOutlines, fits } = outlineSources(parts, cache, parts.segmenter);
  // Events name those that an analysis counts for.
  const stopEvents = followReference(parts, EVENTS_REFERENCE, 'events');
  const tabs = new WorkTabs(parts.store.host, `${name} work`);
  /** Photographs that a screen of this page had when it asked for others. */
  const shown = new Set<ImageId>();
  return {
    image: (surveyId, imageId) => findImage(parts, cache, surveyId, imageId),
    picture: (image, size, options) => loadPicture(parts, cache, image, size, options),
    corrected: (image, size) => loadCorrectedPicture(parts, cache, image, size),
    next: async (wanted) => {
      const next = await nextImage(parts, cache, own, wanted);
      if ('image' in next && shown.has(next.image.id)) usage.note('RepeatImage', { imageId: next.image.id });
      wanted.except.forEach((id) => shown.add(id));
      return next;
    },
    preload: (image, labels) =>
      preload(parts, cache, image, labels === undefined ? null : () => preloadOutlines(image, labels)),
    outlines,
    workTab: async (kind, imageId, options) => tabs.open(kind, imageId, options),
    ...freeDrawWork(parts, own),
    ...labelWork(parts, own, outlines, fits),
    ...formWork(parts, own),
    roles: async () => {
      const uid = parts.person.get()?.uid;
      return uid === undefined ? NO_ROLES : roles.rolesOf(uid);
    },
    mine: liveOwnAnalyses(parts),
    ofSurvey: (surveyId) => liveSurveyAnalyses(parts, surveyId),
    viewed: (id) => viewedAnalysis(parts, id),
    unfinished: liveUnfinished(parts),
    close: () => {
      stopEvents();
      tabs.close();
      own.close();
      cache.close();
    },
  };
}
