import { useState } from 'react';
import { formatCount } from '../../../base/plural';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import { formatClockError, parseClocks } from '../../../domain/survey/camera-clock';
import { Button } from '../../../ui/controls/Button';
import { Icon } from '../../../ui/display/Icon';
import { surveyCameras, type SurveyCamera } from './survey-cameras';
import styles from './CameraClock.module.css';
import { ClockDialog } from './ClockDialog';
import { formatTime, formatReadingTime, zoneMinutes } from './format-times';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge'>;
  readonly survey: SurveyView;
  readonly photographs: readonly PhotographView[];
}

export function CameraClock({ repositories, survey, photographs }: Props) {
  const cameras = surveyCameras(photographs, parseClocks(survey.doc['cameraClocks']));
  const [edited, setEdited] = useState<SurveyCamera | null>(null);
  const [first, ...others] = cameras;
  return (
    <section className={styles.card} aria-label="Camera clock">
      <div className={styles.head}>
        <h2>Camera clock</h2>
        <span>{first === undefined ? '' : cameraLabel(first)}</span>
      </div>
      {first === undefined ? (
        <p>
          Before the dive, photograph the code on the box’s clock page with each camera. All times are then corrected
          automatically.
        </p>
      ) : (
        <CameraClockEntry camera={first} onSet={() => setEdited(first)} />
      )}
      {others.map((camera) => (
        <div key={camera.name ?? ''} className={styles.other}>
          <b>{cameraLabel(camera)}</b>
          <CameraClockEntry camera={camera} onSet={() => setEdited(camera)} />
        </div>
      ))}
      {edited !== null && (
        <ClockDialog repositories={repositories} surveyId={survey.id} camera={edited} onClose={() => setEdited(null)} />
      )}
    </section>
  );
}

function CameraClockEntry({ camera, onSet }: { readonly camera: SurveyCamera; readonly onSet: () => void }) {
  const { clock, sample, photographs, knowsZone, jumps } = camera;
  return (
    <>
      {clock !== null && sample.utcMs !== null && (
        <dl className={styles.pair}>
          <div>
            <dt>Camera time</dt>
            <dd>{formatReadingTime(sample.reading)}</dd>
          </div>
          <Icon name="next" />
          <div>
            <dt>{clock.how === 'qr' ? 'Box clock' : 'True time'}</dt>
            <dd>{formatTime(sample.utcMs)}</dd>
          </div>
        </dl>
      )}
      <p>{clockText(camera)}</p>
      {jumps.map(({ from, to, byMs }) => (
        <p key={to} className={styles.jump}>
          <Icon name="alert" />
          <span>
            Its clock jumps {jumpText(byMs)} between photographs {from} and {to}. One correction cannot fit both sides:
            check their times.
          </span>
        </p>
      ))}
      {(clock !== null || !knowsZone) && (
        <Button
          variant={clock === null ? 'line' : 'quiet'}
          icon="clock"
          aria-label={`${clock === null ? 'Set by hand:' : 'Change'} the clock of ${camera.name ?? 'the camera'}, ${formatCount(photographs, 'photograph')}`}
          onPress={onSet}
        >
          {clock === null ? 'Set by hand' : 'Change'}
        </Button>
      )}
    </>
  );
}

/** "3 min 42 s slow. Corrected on all 205 photographs; the originals stay as they are." */
function clockText({
  clock,
  photographs,
  sample,
  knowsZone,
}: Pick<SurveyCamera, 'clock' | 'photographs' | 'sample' | 'knowsZone'>): string {
  const on = photographs === 1 ? 'its photograph' : `all ${photographs.toLocaleString('en')} photographs`;
  if (clock !== null) {
    const words = formatClockError(clock.offsetMs, zoneMinutes(sample.utcMs ?? 0));
    return words === 'right'
      ? `Its clock is right, for ${on}.`
      : `${words.charAt(0).toUpperCase()}${words.slice(1)}. Corrected for ${on}; the originals stay unchanged.`;
  }
  if (knowsZone) return `This camera records its time zone: the times of ${on} are used as recorded.`;
  return `Clock offset unknown. Photograph the box’s clock with this camera, or set the clock by hand.`;
}

function cameraLabel({ model, name }: SurveyCamera): string {
  return model ?? name ?? 'unnamed camera';
}

function jumpText(byMs: number): string {
  const minutes = Math.round(Math.abs(byMs) / 60_000);
  const size =
    minutes < 90
      ? `${minutes} min`
      : minutes < 48 * 60
        ? `${Math.round(minutes / 60)} h`
        : `${Math.round(minutes / 1440)} days`;
  return `${byMs < 0 ? 'back' : 'ahead'} by ${size}`;
}
