import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import type { Repositories, TraceImage } from '../../../../data/repositories';
import { locationLabel } from '../../../../domain/position/location-label';
import { Icon } from '../../../../ui/display/Icon';
import { ConnectionFacts } from '../../../sync-status';
import type { JournalQueueState } from '../../work/journal-queue';
import styles from './TopBar.module.css';

interface Props {
  readonly image: TraceImage;
  readonly edge: Repositories['edge'];
  readonly journalState: JournalQueueState;
  readonly isReadOnly: boolean;
  readonly isPractice: boolean;
  /** Longer side of the picture, px, if it is smaller than the original; else null. */
  readonly shownSize: number | null;
  readonly onMore: () => void;
}

export function TopBar({ image, edge, journalState, isReadOnly, isPractice, shownSize, onMore }: Props) {
  const place = locationLabel(image.latitude);
  const statusText = isReadOnly
    ? 'view only'
    : journalState.pending > 0 && journalState.failed !== null
      ? `${journalState.pending} not stored yet`
      : 'every stroke is stored on this tablet';
  return (
    <header className={styles.top}>
      <Link to="/analysis" className={`${styles.glass} ${styles.square}`} aria-label="Leave tracing">
        <Icon name="back" />
      </Link>
      <div className={styles.glass}>
        <span className={styles.words}>
          <b>{isPractice ? 'Practice picture' : image.survey.name === '' ? 'Photograph' : image.survey.name}</b>
          <small>
            {isPractice
              ? 'made by the app; nothing is saved'
              : [shownSizeText(shownSize), place, image.name, statusText]
                  .filter((word) => word !== null && word !== '')
                  .join(' · ')}
          </small>
        </span>
      </div>
      <div className={`${styles.glass} ${styles.facts}`}>
        <ConnectionFacts edge={edge} />
      </div>
      <Button className={`${styles.glass} ${styles.square}`} aria-label="More" onPress={onMore}>
        <Icon name="more" />
      </Button>
    </header>
  );
}

// First, as the line is cut off where the screen is narrow.
const shownSizeText = (size: number | null): string =>
  size === null ? '' : `Shown at ${size.toLocaleString('en')} px, not full size`;
