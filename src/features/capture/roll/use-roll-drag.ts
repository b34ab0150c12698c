import { useState, type DragEvent } from 'react';
import type { ImageId } from '../../../domain/ids';
import { photographIds, type RollItem } from './roll-items';
import { tileIndexAt } from './RollRow';

const DRAG_TYPE = 'application/x-reef-photographs';

/** Dragging of photographs within the roll: the insertion index, and the list's handlers. */
export function useRollDrag(
  rollItems: readonly RollItem[],
  selected: ReadonlySet<ImageId>,
  onMove: (ids: readonly ImageId[], before: ImageId | null) => void,
) {
  const [dropAt, setDropAt] = useState<number | null>(null);
  const endDrag = (): void => setDropAt(null);
  function onDragStart(event: DragEvent): void {
    const index = tileIndexAt(event.target);
    const rollItem = index === null ? undefined : rollItems[index];
    if (rollItem?.kind !== 'photograph') return;
    const ids = selected.has(rollItem.photograph.id) ? photographIds(rollItems, selected) : [rollItem.photograph.id];
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData(DRAG_TYPE, JSON.stringify(ids));
  }
  function onDragOver(event: DragEvent): void {
    if (!event.dataTransfer.types.includes(DRAG_TYPE)) return;
    event.preventDefault();
    const index = tileIndexAt(event.target);
    if (index === null) return;
    const tile = (event.target as Element).closest('li')?.getBoundingClientRect();
    setDropAt(tile !== undefined && event.clientX > tile.left + tile.width / 2 ? index + 1 : index);
  }
  function onDrop(event: DragEvent): void {
    if (!event.dataTransfer.types.includes(DRAG_TYPE) || dropAt === null) return;
    event.preventDefault();
    setDropAt(null);
    const ids = JSON.parse(event.dataTransfer.getData(DRAG_TYPE)) as ImageId[];
    const before = rollItems
      .slice(dropAt)
      .find((rollItem) => rollItem.kind === 'photograph' && !ids.includes(rollItem.photograph.id));
    onMove(ids, before?.kind === 'photograph' ? before.photograph.id : null);
  }
  return { dropAt, handlers: { onDragStart, onDragOver, onDrop, onDragLeave: endDrag, onDragEnd: endDrag } };
}
