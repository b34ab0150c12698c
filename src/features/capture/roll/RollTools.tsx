import { Link } from '@tanstack/react-router';
import type { ImageRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import styles from './RollTools.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  /** No photographs: nothing to select. */
  readonly isEmpty: boolean;
  readonly isSelecting: boolean;
  readonly onSelect: () => void;
  readonly onRemoved: () => void;
}

export function RollTools({ images, surveyId, isEmpty, isSelecting, onSelect, onRemoved }: Props) {
  const removed = useObservable(images.removed(surveyId)).items.length;
  const removedText = `Removed: ${removed.toLocaleString('en')}`;
  return (
    <div className={styles.tools}>
      <p className={styles.keys}>{!isEmpty && 'Arrows, Space to select, Enter to open'}</p>
      <Link className={styles.print ?? ''} to="/surveys/$surveyId/print" params={{ surveyId }}>
        Print
      </Link>
      {removed > 0 && (
        <Button variant="quiet" onPress={onRemoved}>
          {removedText}
        </Button>
      )}
      {!isEmpty && (
        <Button variant="quiet" onPress={onSelect}>
          {isSelecting ? 'Stop selecting' : 'Select'}
        </Button>
      )}
    </div>
  );
}
