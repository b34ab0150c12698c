import { memo, useEffect, useRef } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import { outlineName } from '../labelling-text';
import styles from './OutlineList.module.css';

interface Props {
  readonly outlines: readonly Outline[];
  /** Name of the label of an outline; null for none. */
  readonly labelOf: (id: string) => string | null;
  readonly active: Outline | null;
  readonly onActive: (outline: Outline) => void;
}

/**
 * Outlines as a list, for screen readers and keys: the twin of those on the picture. The one in focus is the active one
 * and shows its name over the picture.
 */
export function OutlineList({ outlines, labelOf, active, onActive }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // Arrow keys choose another outline: the focus goes with it if it was in the list.
    if (list.current?.contains(document.activeElement) !== true) return;
    list.current.querySelector<HTMLElement>('[aria-current]')?.focus({ preventScroll: true });
  }, [active]);
  return (
    <ul ref={list} className={styles.list} aria-label="Outlines">
      {outlines.map((outline, index) => (
        <Item
          key={outline.id}
          outline={outline}
          index={index}
          count={outlines.length}
          label={labelOf(outline.id)}
          isActive={outline === active}
          isReachable={outline === active || (active === null && index === 0)}
          onActive={onActive}
        />
      ))}
    </ul>
  );
}

interface ItemProps extends Pick<Props, 'onActive'> {
  readonly outline: Outline;
  readonly index: number;
  readonly count: number;
  readonly label: string | null;
  readonly isActive: boolean;
  /** By Tab; the others by arrow keys. */
  readonly isReachable: boolean;
}

const Item = memo(function Item({ outline, index, count, label, isActive, isReachable, onActive }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        tabIndex={isReachable ? 0 : -1}
        aria-current={isActive || undefined}
        onFocus={() => onActive(outline)}
        onClick={() => onActive(outline)}
      >
        {outlineName(outline, index, count, label)}
      </button>
    </li>
  );
});
