import { memo } from 'react';
import type { ImageRepository } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { RollItem } from './roll-items';
import { RollTile } from './RollTile';

interface Props {
  readonly images: ImageRepository;
  readonly rollItems: readonly RollItem[];
  readonly row: number;
  readonly columns: number;
  /** Px of one tile. */
  readonly width: number;
  readonly height: number;
  readonly gap: number;
  /** Index of the active tile in this row, else null. */
  readonly active: number | null;
  readonly selected: ReadonlySet<ImageId>;
  readonly isSelecting: boolean;
  /** Insertion index in this row, else null. */
  readonly dropAt: number | null;
  readonly numberOf: (id: ImageId) => number | null;
}

/** Memoised row: it does not render while others scroll by. */
export const RollRow = memo(function RollRow({
  images,
  rollItems,
  row,
  columns,
  width,
  height,
  gap,
  active,
  selected,
  isSelecting,
  dropAt,
  numberOf,
}: Props) {
  return rollItems.slice(row * columns, (row + 1) * columns).map((rollItem, column) => {
    const index = row * columns + column;
    return (
      // Keyed by column: the slot later shows another row.
      <RollTile
        key={column}
        id={tileId(rollItem.key)}
        images={images}
        rollItem={rollItem}
        index={index}
        count={rollItems.length}
        x={column * (width + gap)}
        y={row * (height + gap)}
        width={width}
        height={height}
        isActive={index === active}
        isSelected={rollItem.kind === 'photograph' && selected.has(rollItem.photograph.id)}
        isSelecting={isSelecting}
        drop={dropAt === index ? 'before' : dropAt === index + 1 && index === rollItems.length - 1 ? 'after' : null}
        numberOf={numberOf}
      />
    );
  });
});

export function tileId(key: string): string {
  return `tile-${key}`;
}

/** Index of the tile that holds an event's target. */
export function tileIndexAt(target: EventTarget): number | null {
  const index = target instanceof Element ? target.closest<HTMLElement>('li[data-index]')?.dataset['index'] : undefined;
  return index === undefined ? null : Number(index);
}
