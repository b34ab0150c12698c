import { useEffect } from 'react';
import type { PhotographView, SurveyRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { cameraName, formatClockError, offsetFrom } from '../../../domain/survey/camera-clock';
import { notify } from '../../../ui/feedback/notices';
import type { DetectedClock } from '../queue/adding-state';
import { zoneMinutes } from './format-times';

const AHEAD_MAX_MS = 86_400_000;

const handled = new WeakSet<DetectedClock>();

/** Sets a camera's clock from an added photograph of the box's clock. */
export function useDetectedClock(
  surveys: SurveyRepository,
  surveyId: SurveyId,
  detected: DetectedClock | null,
  photographs: readonly PhotographView[],
): void {
  const photograph = detected === null ? undefined : photographs.find(({ id }) => id === detected.id);
  useEffect(() => {
    if (detected === null || photograph === undefined || handled.has(detected)) return;
    const trueMs = Date.parse(detected.boxSaid);
    const offsetMs = offsetFrom(detected.cameraSaid, trueMs);
    if (offsetMs === null) return;
    handled.add(detected);
    // Any picture may contain such a code: a future time would misplace the camera's photographs.
    if (trueMs > Date.now() + AHEAD_MAX_MS) {
      notify({
        icon: 'alert',
        title: 'The camera clock was not set',
        text: 'The clock code in this photograph shows a time in the future by this tablet’s clock. Check the clocks of the box and this tablet, or set the camera clock by hand.',
      });
      return;
    }
    surveys.setCameraClock(surveyId, { camera: cameraName(photograph.camera), offsetMs, how: 'qr' }).then(
      () =>
        notify({
          icon: 'clock',
          title: 'Camera clock set from the box’s clock',
          text: `The camera clock is ${formatClockError(offsetMs, zoneMinutes(trueMs))}. All times are corrected.`,
        }),
      (error: unknown) =>
        notify({
          icon: 'alert',
          title: 'The camera clock was not set',
          text: error instanceof Error ? error.message : String(error),
        }),
    );
  }, [surveys, surveyId, detected, photograph]);
}
