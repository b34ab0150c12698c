import { Button } from '../../../ui/controls/Button';
import styles from './RollTools.module.css';

interface Props {
  readonly isSelecting: boolean;
  readonly removed: number;
  readonly onSelect: () => void;
  readonly onRemoved: () => void;
}

export function RollTools({ isSelecting, removed, onSelect, onRemoved }: Props) {
  return (
    <div className={styles.tools}>
      <p className={styles.keys}>Arrows, Space to select, Enter to open</p>
      {removed > 0 && (
        <Button variant="quiet" onPress={onRemoved}>
          Removed: {removed.toLocaleString('en')}
        </Button>
      )}
      <Button variant="quiet" onPress={onSelect}>
        {isSelecting ? 'Stop selecting' : 'Select'}
      </Button>
    </div>
  );
}
