import type { ImageRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import styles from './RollTools.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  /** No photographs: only removed ones are offered. */
  readonly isEmpty: boolean;
  readonly isSelecting: boolean;
  readonly onSelect: () => void;
  readonly onRemoved: () => void;
}

export function RollTools({ images, surveyId, isEmpty, isSelecting, onSelect, onRemoved }: Props) {
  const removed = useObservable(images.removed(surveyId)).items.length;
  const removedText = `Removed: ${removed.toLocaleString('en')}`;
  if (isEmpty) return removed > 0 && <Button onPress={onRemoved}>{removedText}</Button>;
  return (
    <div className={styles.tools}>
      <p className={styles.keys}>Arrows, Space to select, Enter to open</p>
      {removed > 0 && (
        <Button variant="quiet" onPress={onRemoved}>
          {removedText}
        </Button>
      )}
      <Button variant="quiet" onPress={onSelect}>
        {isSelecting ? 'Stop selecting' : 'Select'}
      </Button>
    </div>
  );
}
