import { useEffect, useState } from 'react';
import type { Repositories } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { formatClockError, offsetFrom } from '../../../domain/survey/camera-clock';
import { today } from '../../../domain/survey/day';
import { Button } from '../../../ui/controls/Button';
import { DateField } from '../../../ui/controls/DateField';
import { Dialog } from '../../../ui/controls/Dialog';
import { notify } from '../../../ui/feedback/notices';
import { TextField } from '../../../ui/controls/TextField';
import type { SurveyCamera } from './survey-cameras';
import styles from './ClockDialog.module.css';
import { formatTime, zoneMinutes } from './format-times';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge'>;
  readonly surveyId: SurveyId;
  readonly camera: SurveyCamera;
  readonly onClose: () => void;
}

/**
 * Sets a camera's clock by hand: the person types a time it will show in a moment and presses at that moment, exact to
 * the second.
 */
export function ClockDialog({
  repositories: {
    census: { surveys },
  },
  surveyId,
  camera,
  onClose,
}: Props) {
  const [time, setTime] = useState('');
  const [date, setDate] = useState<string | null>(() => today(new Date()));
  const [state, setState] = useState<
    { readonly status: 'writing' | 'saving' } | { readonly status: 'wrong'; readonly words: string }
  >({ status: 'writing' });
  const now = useNow();
  const typed = parseTime(time);
  const typedReading = typed === null || date === null ? null : `${date}T${typed}`;

  async function saveClock(): Promise<void> {
    const trueMs = Date.now();
    const offsetMs = typedReading === null ? null : offsetFrom(typedReading, trueMs);
    if (offsetMs === null) {
      setState({ status: 'wrong', words: 'Enter a time such as 09:36:18.' });
      return;
    }
    setState({ status: 'saving' });
    try {
      await surveys.setCameraClock(surveyId, { camera: camera.name, offsetMs, how: 'hand' });
      notify({
        icon: 'clock',
        title: 'Camera clock set',
        text: `The camera clock is ${formatClockError(offsetMs, zoneMinutes(trueMs))}.`,
      });
      onClose();
    } catch (error) {
      setState({ status: 'wrong', words: `Not saved: ${error instanceof Error ? error.message : String(error)}` });
    }
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Clock of ${camera.name ?? 'the camera'}`}
      actions={
        <Button
          variant="primary"
          icon="clock"
          isDisabled={typedReading === null || state.status === 'saving'}
          onPress={() => void saveClock()}
        >
          {typedReading === null ? 'Enter the camera’s time first' : 'The camera shows it now'}
        </Button>
      }
    >
      <p>
        Open the clock on the camera. Enter a time that it will show in a moment, and press the button when it does.
      </p>
      <div className={styles.two}>
        <TextField
          label="Time on the camera, with seconds"
          name="camera-time"
          value={time}
          onChange={setTime}
          error={state.status === 'wrong' ? state.words : undefined}
        />
        <DateField label="Date on the camera" value={date} onChange={setDate} />
      </div>
      <p className={styles.now}>
        <span>This tablet’s time</span>
        <b>{formatTime(now)}</b>
      </p>
      <p>
        Easier: photograph the box’s clock with this camera and add the picture. The app reads the code and sets the
        clock automatically.
      </p>
    </Dialog>
  );
}

/** Parses `9:36:18`, `09.36.18` or `093618` as `09:36:18`; null if not a time. */
export function parseTime(text: string): string | null {
  const match = /^\s*(\d{1,2})[:. ]?(\d{2})[:. ]?(\d{2})?\s*$/.exec(text);
  if (match === null) return null;
  const [hours, minutes, seconds] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')];
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return [hours, minutes, seconds].map((n) => String(n).padStart(2, '0')).join(':');
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return now;
}
