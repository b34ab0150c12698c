import { useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { ImageId } from '../../../domain/ids';
import { moveTarget, photographIds, type RollItem } from './roll-items';
import { rollKeyAction } from './roll-keys';
import { tileIndexAt } from './RollRow';
import type { RollLayout } from './use-roll-layout';

interface RollInput {
  readonly rollItems: readonly RollItem[];
  readonly indexOf: (key: string | null) => number;
  readonly layout: Pick<RollLayout, 'columns' | 'pageRows' | 'showRow'>;
  readonly selected: ReadonlySet<ImageId>;
  readonly isSelecting: boolean;
  readonly onSelect: (ids: ReadonlySet<ImageId>) => void;
  readonly onOpen: (rollItem: RollItem) => void;
  readonly onRemove: (ids: readonly ImageId[]) => void;
  readonly onMove: (ids: readonly ImageId[], before: ImageId | null) => void;
}

/** Active tile and selection by keyboard and pointer. */
export function useRollInput({
  rollItems,
  indexOf,
  layout: { columns, pageRows, showRow },
  selected,
  isSelecting,
  onSelect,
  onOpen,
  onRemove,
  onMove,
}: RollInput) {
  const [active, setActive] = useState<string | null>(null);
  const activeIndex = Math.min(Math.max(0, indexOf(active)), rollItems.length - 1);
  const anchor = useRef<number>(0);

  const goTo = (index: number): void => {
    const rollItem = rollItems[index];
    if (rollItem === undefined) return;
    setActive(rollItem.key);
    showRow(Math.floor(index / columns));
  };
  const toggle = (rollItem: RollItem | undefined): void => {
    if (rollItem?.kind !== 'photograph') return;
    const next = new Set(selected);
    if (!next.delete(rollItem.photograph.id)) next.add(rollItem.photograph.id);
    onSelect(next);
  };
  const selectRange = (from: number, to: number): void => {
    const next = new Set(selected);
    for (const rollItem of rollItems.slice(Math.min(from, to), Math.max(from, to) + 1))
      if (rollItem.kind === 'photograph') next.add(rollItem.photograph.id);
    onSelect(next);
  };
  const targetIds = (): readonly ImageId[] => {
    if (selected.size > 0) return photographIds(rollItems, selected);
    const rollItem = rollItems[activeIndex];
    return rollItem?.kind === 'photograph' ? [rollItem.photograph.id] : [];
  };

  function onKeyDown(event: KeyboardEvent): void {
    const action = rollKeyAction(event, { index: activeIndex, columns, count: rollItems.length, pageRows: pageRows() });
    if (action === null) return;
    if (action.kind === 'clear' && selected.size === 0) return;
    event.preventDefault();
    switch (action.kind) {
      case 'go':
        if (action.extends) selectRange(activeIndex, action.to);
        else anchor.current = action.to;
        goTo(action.to);
        break;
      case 'toggle':
        toggle(rollItems[activeIndex]);
        break;
      case 'open': {
        const rollItem = rollItems[activeIndex];
        if (rollItem !== undefined) onOpen(rollItem);
        break;
      }
      case 'remove':
        if (targetIds().length > 0) onRemove(targetIds());
        break;
      case 'all':
        onSelect(new Set(photographIds(rollItems)));
        break;
      case 'clear':
        onSelect(new Set());
        break;
      case 'move': {
        const target = moveTarget(rollItems, targetIds(), action.by);
        if (target !== undefined) onMove(targetIds(), target);
        break;
      }
    }
  }

  function onClick(event: MouseEvent): void {
    const index = tileIndexAt(event.target);
    const rollItem = index === null ? undefined : rollItems[index];
    if (index === null || rollItem === undefined) return;
    setActive(rollItem.key);
    if (event.shiftKey) selectRange(anchor.current, index);
    else if (isSelecting || event.ctrlKey || event.metaKey) toggle(rollItem);
    else onOpen(rollItem);
    anchor.current = index;
  }

  return { activeIndex, onKeyDown, onClick };
}
