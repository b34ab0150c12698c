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
  /** Of one tile, px. */
  readonly width: number;
  readonly height: number;
  readonly gap: number;
  /** Index of the active tile where it is in this row, else null. */
  readonly active: number | null;
  readonly selected: ReadonlySet<ImageId>;
  readonly isSelecting: boolean;
  /** Index before which a dragged photograph would come in, where that shows in this row, else null. */
  readonly dropAt: number | null;
  readonly numberOf: (id: ImageId) => number | null;
}

/** The tiles of one row of the roll: while the others pass by, a row that stays is not gone through again. */
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
      // By its column: the place that shows this row now shows another one later.
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

/** The id that the tile of a cell has in the page. */
export function tileId(key: string): string {
  return `tile-${key}`;
}
