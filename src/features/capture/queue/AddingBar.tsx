import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import type { CustodyCounts } from '../../survey';
import { cardVerdict } from '../capture-text';
import type { AddingQueue, SurveyAdding } from './adding-state';
import { AddPhotographs } from './AddPhotographs';
import styles from './AddingBar.module.css';
import type { PickedFiles } from './picked-files';

interface Props {
  readonly counts: CustodyCounts;
  /** Files of the card that were never read. */
  readonly unread: number;
  readonly adding: SurveyAdding;
  readonly queue: AddingQueue;
  readonly surveyId: SurveyId;
  readonly onFiles: (given: PickedFiles) => void;
}

/** Footer outside selection: whether the card is safe, and the actions of adding. */
export function AddingBar({ counts, unread, adding, queue, surveyId, onFiles }: Props) {
  const { isPaused } = adding;
  const isWorking = adding.reading + adding.waiting > 0;
  const [title, text] = cardVerdict(counts, adding, unread);
  return (
    <>
      <p className={styles.safe} role="status">
        <b>{title}</b>
        <span>{text}</span>
      </p>
      {isWorking && isPaused && <Button onPress={() => queue.stop(surveyId)}>Stop adding</Button>}
      {isWorking && (
        <Button icon={isPaused ? 'play' : 'pause'} onPress={() => (isPaused ? queue.resume() : queue.pause())}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
      <AddPhotographs onFiles={onFiles} />
    </>
  );
}
