import { memo, useDeferredValue, useMemo } from 'react';
import type { PhotographView, Repositories, SurveyView } from '../../data/repositories';
import { divePosition } from '../../domain/survey/survey';
import { SurveyLog } from '../survey';
import { CameraClock } from './camera-clock/CameraClock';
import { TrackPlacement } from './camera-clock/TrackPlacement';
import { useThrottled } from './use-throttled';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly photographs: readonly PhotographView[];
  /** Files are being added. */
  readonly isWorking: boolean;
}

const MemoSurveyLog = memo(
  SurveyLog,
  (before, now) =>
    isSameLog(before.survey, now.survey) && before.images === now.images && before.repositories === now.repositories,
);
const MemoCameraClock = memo(
  CameraClock,
  (before, now) =>
    isSameLog(before.survey, now.survey) &&
    before.photographs === now.photographs &&
    before.repositories === now.repositories,
);
const MemoTrackPlacement = memo(TrackPlacement);

/** Log of the survey, with camera clock and track. Rendered with low priority: it depends little on the photographs. */
export function CaptureLog({ repositories, survey, photographs, isWorking }: Props) {
  const { images } = repositories.census;
  const throttledPhotographs = useDeferredValue(useThrottled(photographs, isWorking));
  const deferredSurvey = useDeferredValue(survey);
  const dive = useMemo(() => divePosition(deferredSurvey.doc), [deferredSurvey]);
  /** Memoised, so that the log does not render for it. */
  const cards = useMemo(
    () => (
      <>
        <MemoCameraClock repositories={repositories} survey={deferredSurvey} photographs={throttledPhotographs} />
        <MemoTrackPlacement
          images={images}
          surveyId={survey.id}
          photographs={throttledPhotographs}
          dive={dive}
          edge={repositories.edge}
        />
      </>
    ),
    [repositories, images, survey.id, deferredSurvey, throttledPhotographs, dive],
  );
  return (
    <MemoSurveyLog repositories={repositories} survey={deferredSurvey} images={throttledPhotographs}>
      {cards}
    </MemoSurveyLog>
  );
}

/** Ignores photograph counts and custody, which the log does not show. */
function isSameLog(a: SurveyView, b: SurveyView): boolean {
  return a === b || (a.id === b.id && a.doc === b.doc && a.conflicts === b.conflicts);
}
