import { useState, useSyncExternalStore } from 'react';
import { logOf, type LogValues } from '../../../domain/survey/log';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { LogForm, type LogProps } from './LogForm';
import styles from './SurveyLog.module.css';

/**
 * Log of a survey. On a tablet a side panel of the roll (328 px wide; the parent sets width and scrolls), on a phone a
 * line that opens a dialog. `children`: the camera's clock.
 */
export function SurveyLog(props: LogProps) {
  const isNarrow = useSyncExternalStore(watchNarrow, readNarrow);
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return <LogForm {...props} />;
  const [head, detail] = logSummary(logOf(props.survey.doc));
  return (
    <div className={styles.line}>
      <p className={styles.words}>
        <b>{head}</b>
        {props.survey.conflicts > 0 ? 'Conflicting edits: open the log.' : detail}
      </p>
      <Button onPress={() => setOpen(true)} aria-label="Edit the log">
        Edit
      </Button>
      <Dialog
        title={props.survey.name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        wide
        actions={
          <Button variant="primary" onPress={() => setOpen(false)}>
            Done
          </Button>
        }
      >
        <LogForm {...props} />
      </Dialog>
    </div>
  );
}

/** Summary such as `Scuba, 45 min, 15 m visibility`, and the missing fields. */
export function logSummary({ type, duration, visibility, camera, timeIn }: LogValues): readonly [string, string] {
  const entered = [
    type === null ? '' : type === 'scuba' ? 'Scuba' : 'Snorkel',
    duration === null ? '' : `${duration} min`,
    visibility === null ? '' : `${visibility} m visibility`,
  ].filter((word) => word !== '');
  const missing = [
    type === null ? 'type' : '',
    timeIn === null ? 'time in' : '',
    duration === null ? 'duration' : '',
    visibility === null ? 'visibility' : '',
    camera === '' ? 'camera' : '',
  ].filter((word) => word !== '');
  const head = entered.length === 0 ? 'The log is empty' : entered.join(', ');
  return [head, missing.length === 0 ? camera : `Still to enter: ${missing.join(', ')}`];
}

const NARROW = '(max-width: 700px)';

function watchNarrow(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function readNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}
