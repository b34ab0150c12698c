import { useState, type ReactNode, type Ref } from 'react';
import { Button } from '../../../ui/controls/Button';
import styles from './Sheet.module.css';

interface Props {
  readonly ref: Ref<HTMLElement>;
  readonly label: string;
  /** True for a sheet at the bottom, which folds away to show the map. */
  readonly isPhone: boolean;
  readonly children: ReactNode;
}

/** Drawer at the left, 450 px wide from 1280 px, else 392; on a phone a sheet at the bottom. */
export function Sheet({ ref, label, isPhone, children }: Props) {
  const [isFolded, setIsFolded] = useState(false);
  const folded = isPhone && isFolded;
  return (
    <aside className={styles.sheet} aria-label={label} ref={ref} data-folded={folded} data-foot={isPhone || undefined}>
      {isPhone && (
        <div className={styles.handle}>
          <Button
            variant="quiet"
            icon={folded ? 'plus' : 'down'}
            aria-expanded={!folded}
            onPress={() => setIsFolded(!folded)}
          >
            {folded ? `Show ${label.toLowerCase()}` : 'Show more map'}
          </Button>
        </div>
      )}
      {/* Folded away, but not closed: it stays where it was read. */}
      <div className={styles.body} hidden={folded}>
        {children}
      </div>
    </aside>
  );
}
