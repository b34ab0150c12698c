import { formatCount } from '../../../base/plural';
import type { ImageId } from '../../../domain/ids';
import { Dialog } from '../../../ui/controls/Dialog';
import type { AddingItem } from '../queue/adding-state';
import styles from './LeftOutDialog.module.css';
import { refusedText } from '../capture-text';

interface Props {
  readonly which: 'known' | 'refused';
  readonly items: readonly AddingItem[];
  readonly numberOf: (id: ImageId) => number | null;
  readonly onClose: () => void;
}

/** Files of a batch that were not added, with reasons. */
export function LeftOutDialog({ which, items, numberOf, onClose }: Props) {
  const files = items.filter(({ state }) => state.status === which);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        which === 'known'
          ? `${formatCount(files.length, 'duplicate')} left out`
          : `${formatCount(files.length, 'file')} not added`
      }
    >
      <p>
        {which === 'known'
          ? 'They are already in this survey, byte for byte. Nothing is missing.'
          : 'These files were not copied to this tablet. Keep the card.'}
      </p>
      <ul className={styles.list} tabIndex={0} aria-label="Files">
        {files.map((item) => (
          <li key={item.key}>
            <b>{item.name}</b>
            <span>{reasonText(item, numberOf)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function reasonText({ state }: AddingItem, numberOf: Props['numberOf']): string {
  if (state.status === 'refused') return refusedText(state.error);
  if (state.status !== 'known') return '';
  const number = numberOf(state.id);
  return number === null ? 'The same as one added before.' : `The same as photograph ${number}.`;
}
