import { Icon } from '../../ui/Icon';
import { plain } from '../sync-status';
import type { AddingItem } from './adding';
import styles from './PhotographRow.module.css';

/** A file that is not saved yet, or that was refused: named, with why. */
export function AddingRow({ item }: { readonly item: AddingItem }) {
  const refused = item.state.status === 'refused';
  return (
    <li className={`${styles.row} ${refused ? styles.look : ''}`} data-adding={item.state.status}>
      <span className={styles.none}>{item.state.status === 'reading' ? <span className={styles.busy} /> : <Icon name={refused ? 'alert' : 'clock'} />}</span>
      <span className={styles.words}>
        <b className={styles.name}>{item.name}</b>
        <span>{words(item)}</span>
      </span>
    </li>
  );
}

function words(item: AddingItem): string {
  switch (item.state.status) {
    case 'waiting':
      return 'waiting, not saved yet';
    case 'reading':
      return 'being read and saved';
    case 'refused':
      return item.state.error.code === 'unsupported-media' ? `Left out: ${plain(item.state.error)}` : `Not saved: ${plain(item.state.error)}`;
  }
}
