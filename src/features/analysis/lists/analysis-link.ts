import { linkOptions } from '@tanstack/react-router';
import type { AnalysisView } from '../../../data/repositories';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';

/** Work that a link leads to: a record, or what is not saved yet. */
export interface LinkedWork {
  readonly kind: AnalysisView['kind'];
  /** Version of the record; null if it does not say. */
  readonly version: number | null;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** Analysis of someone else, to be viewed; absent for own work. */
  readonly othersId?: AnalysisId;
}

/** Work of a saved analysis; without `isOwn` it is one's own. */
export const savedWorkOf = ({
  id,
  kind,
  version,
  survey,
  imageId,
  isOwn = true,
}: AnalysisView & { readonly isOwn?: boolean }): LinkedWork => ({
  kind,
  version,
  surveyId: survey.id,
  imageId,
  ...(isOwn ? {} : { othersId: id }),
});

/**
 * Address of the screen in which a work goes on, for each list: labels in the labelling screen with their version,
 * percentages in their form, a tracing of version 1 in the view of version 1, which is for experts. Those of someone else
 * open view only.
 */
export function analysisLink({ kind, version, surveyId, imageId, othersId }: LinkedWork, isExpert: boolean) {
  const params = { survey: surveyId, id: imageId };
  if (othersId !== undefined)
    return kind === 'form'
      ? linkOptions({ to: '/analysis/expert/$survey/$id', params, search: { of: othersId } })
      : linkOptions({ to: '/analysis/library/$survey/$analysis', params: { survey: surveyId, analysis: othersId } });
  if (kind === 'labels')
    return linkOptions({
      to: '/analysis/ml/$survey/$id/{-$event}',
      params,
      search: version === null ? {} : { version },
    });
  if (kind === 'form') return linkOptions({ to: '/analysis/expert/$survey/$id', params });
  if (isExpert && version === 1)
    return linkOptions({ to: '/analysis/expert-image/$survey/$id', params, search: { v: 1 } });
  return linkOptions({ to: '/analysis/$survey/$id', params });
}
