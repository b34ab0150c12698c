import { useMemo, useRef, useState } from 'react';
import type { ImageRepository } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { RollItem } from './roll-items';
import styles from './Roll.module.css';
import { RollRow, tileId } from './RollRow';
import { RowSlots } from './row-slots';
import { useRollDrag } from './use-roll-drag';
import { useRollInput } from './use-roll-input';
import { useFollowRow, useRollLayout } from './use-roll-layout';

interface Props {
  readonly images: ImageRepository;
  readonly rollItems: readonly RollItem[];
  readonly scroller: HTMLElement | null;
  /** Px of the scroller's top that are covered. */
  readonly coveredTop: number;
  readonly selected: ReadonlySet<ImageId>;
  readonly isSelecting: boolean;
  readonly numberOf: (id: ImageId) => number | null;
  readonly onSelect: (ids: ReadonlySet<ImageId>) => void;
  readonly onOpen: (rollItem: RollItem) => void;
  readonly onRemove: (ids: readonly ImageId[]) => void;
  readonly onMove: (ids: readonly ImageId[], before: ImageId | null) => void;
  /** Tile to follow; null leaves the scroll position alone. */
  readonly follow: string | null;
}

/**
 * Virtualised grid of photographs. One tab stop; arrows move, Space selects, Enter opens, Delete removes, Alt with an
 * arrow reorders.
 */
export function Roll({
  images,
  rollItems,
  scroller,
  coveredTop,
  selected,
  isSelecting,
  numberOf,
  onSelect,
  onOpen,
  onRemove,
  onMove,
  follow,
}: Props) {
  const list = useRef<HTMLUListElement>(null);
  const layout = useRollLayout(list, scroller, rollItems.length, coveredTop);
  const { columns } = layout;
  const indexOf = useMemo(() => {
    const map = new Map<string, number>();
    return (key: string | null): number => {
      if (key === null) return -1;
      if (map.size === 0) rollItems.forEach((rollItem, i) => map.set(rollItem.key, i));
      return map.get(key) ?? -1;
    };
  }, [rollItems]);
  useFollowRow(scroller, layout.showRow, Math.floor(indexOf(follow) / columns), follow !== null);
  const { activeIndex, onKeyDown, onClick } = useRollInput({
    rollItems,
    indexOf,
    layout,
    selected,
    isSelecting,
    onSelect,
    onOpen,
    onRemove,
    onMove,
  });
  const { dropAt, handlers } = useRollDrag(rollItems, selected, onMove);
  const [slots] = useState(() => new RowSlots());
  /** Index if in this row; the end of the list counts as the last row. */
  const inRow = (index: number | null, row: number): number | null =>
    index !== null && row === Math.floor(Math.min(index, rollItems.length - 1) / columns) ? index : null;
  return (
    <ul
      ref={list}
      className={styles.roll}
      role="listbox"
      aria-label="Photographs"
      aria-multiselectable="true"
      tabIndex={0}
      aria-activedescendant={rollItems.length === 0 ? undefined : tileId(rollItems[activeIndex]?.key ?? '')}
      style={{ height: layout.height }}
      onKeyDown={onKeyDown}
      onClick={onClick}
      {...handlers}
    >
      {slots.arrange(layout.rowsShown, layout.isScrolling).map(({ key, row }) => (
        <RollRow
          key={key}
          images={images}
          rollItems={rollItems}
          row={row}
          columns={columns}
          width={layout.tileWidth}
          height={layout.tileHeight}
          gap={layout.gap}
          active={inRow(activeIndex, row)}
          selected={selected}
          isSelecting={isSelecting}
          dropAt={inRow(dropAt, row)}
          numberOf={numberOf}
        />
      ))}
    </ul>
  );
}
