import type { Repositories } from '../../data/repositories';
import { formatAge } from '../../domain/position/format-position';
import { encodeClockCode } from '../../domain/survey/camera-clock';
import { QrCode } from '../../ui/display/QrCode';
import { BackLink, useTitle } from '../shell';
import styles from './ClockPage.module.css';
import { useWakeLock } from './clock/use-wake-lock';
import { useBoxClock, useSeconds, type ShownClock } from './clock/use-box-clock';
import { useNow } from './use-now';

interface Props {
  readonly repositories: Pick<Repositories, 'edge'>;
}

/** Box's clock for a camera: figures and a QR, new every second (3§3, Image). */
export function ClockPage({ repositories: { edge } }: Props) {
  useTitle('The box’s clock');
  useWakeLock();
  const shown = useBoxClock(edge);
  const second = useSeconds(shown.source === 'box' ? shown.clock.offsetMs : 0);
  const now = useNow();
  const at = new Date(second);
  const local = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const isKnown = shown.source !== 'measuring';
  return (
    <main className={styles.clock}>
      <header className={styles.head}>
        <BackLink to="/box" name="Back to the box" />
        <h1>The box’s clock</h1>
      </header>
      <div className={styles.faces}>
        <div className={styles.code}>
          {isKnown ? (
            <QrCode text={encodeClockCode(second)} label="The clock as a code, new every second" size={420} />
          ) : (
            <p className={styles.wait}>Asking the box for its time</p>
          )}
        </div>
        <div className={styles.words}>
          <p className={styles.label}>UTC</p>
          <p className={styles.time} data-utc={isKnown ? second : undefined}>
            <time dateTime={at.toISOString()}>{at.toISOString().slice(11, 19)}</time>
          </p>
          <p className={styles.day}>
            {at.toLocaleDateString('en-GB', {
              weekday: 'long',
              day: 'numeric',
              month: 'long',
              year: 'numeric',
              timeZone: 'UTC',
            })}
          </p>
          <p className={styles.label}>Here, {formatZone(at)}</p>
          <p className={styles.local}>{local}</p>
          <p className={styles.source} data-own={shown.source === 'tablet'} role="status">
            {sourceText(shown, now)}
          </p>
          <p className={styles.how}>
            Photograph this screen once with each camera, before or after the dive, and add that photograph with the
            others. The app reads the code and corrects the camera’s clock for the survey.
          </p>
        </div>
      </div>
    </main>
  );
}

function sourceText(shown: ShownClock, now: number): string {
  switch (shown.source) {
    case 'measuring':
      return 'Asking the box for its time.';
    case 'tablet':
      return 'The box does not answer: this is the tablet’s own clock. Check it against a watch before you photograph it.';
    case 'box': {
      const age = now - shown.measuredAt;
      const measured = age > 60_000 ? `, measured ${formatAge(age)} ago` : '';
      const apart =
        Math.abs(shown.clock.offsetMs) < 1000
          ? 'this tablet’s clock agrees'
          : `this tablet’s clock is ${formatAge(Math.abs(shown.clock.offsetMs))} ${shown.clock.offsetMs > 0 ? 'behind' : 'ahead'}`;
      return `The clock of ${shown.name}${measured}; ${apart}.`;
    }
  }
}

/** `UTC+10`, `UTC+5:30` for this tablet's zone. */
function formatZone(at: Date): string {
  const east = -at.getTimezoneOffset();
  const minutes = Math.abs(east) % 60;
  return `UTC${east < 0 ? '−' : '+'}${Math.floor(Math.abs(east) / 60)}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}
