import type { ImageId } from '../../../domain/ids';
import { Dialog } from '../../../ui/controls/Dialog';
import { formatCount } from '../../sync-status';
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
          : `${formatCount(files.length, 'file')} not taken`
      }
    >
      <p>
        {which === 'known'
          ? 'This survey has them already, byte for byte. Nothing is missing.'
          : 'Nothing of them is on this tablet. They stay where they are: keep the card.'}
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
  return number === null ? 'The same as one that was here.' : `The same as photograph ${number}.`;
}
