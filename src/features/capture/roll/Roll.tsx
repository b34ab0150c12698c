import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import type { ImageRepository } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import { useDeck } from '../../../ui/tokens/deck';
import type { RollItem } from './roll-items';
import { rollScrollSpeed } from './scroll-speed';
import { rollKeyAction } from './roll-keys';
import styles from './Roll.module.css';
import { RollRow, tileId } from './RollRow';
import { RowSlots } from './row-slots';

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
  readonly onOpen: (cell: RollItem) => void;
  readonly onRemove: (ids: readonly ImageId[]) => void;
  readonly onMove: (ids: readonly ImageId[], before: ImageId | null) => void;
  /** Tile to follow; null leaves the scroll position alone. */
  readonly follow: string | null;
}

/** Short rolls render completely: browser search and screen readers find everything. */
const UNVIRTUALIZED_MAX = 60;
/** 4:3 photograph with its footer. */
const TILE_ASPECT = 0.765;

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
  const { width, margin } = useListGeometry(list, scroller);
  const isDeck = useDeck();
  const gap = isDeck ? 16 : 8;
  const columns = columnCount(width, isDeck);
  const tileWidth = (width - gap * (columns - 1)) / columns;
  const tileHeight = Math.max(64, Math.round(tileWidth * TILE_ASPECT));
  const rows = Math.ceil(rollItems.length / columns);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller,
    estimateSize: () => tileHeight + gap,
    overscan: rollItems.length <= UNVIRTUALIZED_MAX ? rows : 3,
    scrollMargin: margin,
    // Row positions are computed here: only another range needs a render.
    directDomUpdates: true,
    useFlushSync: false,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, tileHeight, gap, margin]);

  const [active, setActive] = useState<string | null>(null);
  const [dropAt, setDropAt] = useState<number | null>(null);
  const indexOf = useMemo(() => {
    const map = new Map<string, number>();
    return (key: string | null): number => {
      if (key === null) return -1;
      if (map.size === 0) rollItems.forEach((rollItem, i) => map.set(rollItem.key, i));
      return map.get(key) ?? -1;
    };
  }, [rollItems]);
  const activeIndex = Math.min(Math.max(0, indexOf(active)), rollItems.length - 1);
  const anchor = useRef<number>(0);

  /** Scrolls a row into view without measuring, which would force a layout. */
  const showRow = useCallback(
    (row: number): void => {
      if (scroller === null || row < 0) return;
      const top = margin + row * (tileHeight + gap);
      const [from, height] = [virtual.scrollOffset ?? 0, virtual.scrollRect?.height ?? 0];
      if (top < from + coveredTop + gap) scroller.scrollTop = Math.max(0, row === 0 ? 0 : top - coveredTop - gap);
      else if (top + tileHeight + gap > from + height) scroller.scrollTop = top + tileHeight + gap - height;
    },
    [scroller, virtual, margin, tileHeight, gap, coveredTop],
  );
  const followedRow = follow === null ? -1 : Math.floor(indexOf(follow) / columns);
  useTrackScrollSpeed(scroller);
  const isAway = useScrolledAway(scroller, follow !== null);
  useEffect(() => {
    if (!isAway.current) showRow(followedRow);
  }, [isAway, showRow, followedRow]);

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
    const action = rollKeyAction(event, {
      index: activeIndex,
      columns,
      count: rollItems.length,
      pageRows: Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / (tileHeight + gap)) - 1),
    });
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

  const rowsShown = width === 0 ? [] : virtual.getVirtualItems().map(({ index }) => index);
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
      style={{ height: Math.max(0, rows * (tileHeight + gap) - gap) }}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onDragStart={onDragStart}
      onDragOver={onDragOver}
      onDragLeave={() => setDropAt(null)}
      onDragEnd={() => setDropAt(null)}
      onDrop={onDrop}
    >
      {slots.arrange(rowsShown, virtual.isScrolling).map(({ key, row }) => (
        <RollRow
          key={key}
          images={images}
          rollItems={rollItems}
          row={row}
          columns={columns}
          width={tileWidth}
          height={tileHeight}
          gap={gap}
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

const DRAG_TYPE = 'application/x-reef-photographs';

function tileIndexAt(target: EventTarget): number | null {
  const index = target instanceof Element ? target.closest<HTMLElement>('li[data-index]')?.dataset['index'] : undefined;
  return index === undefined ? null : Number(index);
}

function photographIds(rollItems: readonly RollItem[], among?: ReadonlySet<ImageId>): ImageId[] {
  return rollItems.flatMap((rollItem) =>
    rollItem.kind === 'photograph' && (among === undefined || among.has(rollItem.photograph.id))
      ? [rollItem.photograph.id]
      : [],
  );
}

/** Photograph to insert before for a move by one; undefined at the edge. */
export function moveTarget(
  rollItems: readonly RollItem[],
  ids: readonly ImageId[],
  by: -1 | 1,
): ImageId | null | undefined {
  const order = photographIds(rollItems);
  const moving = new Set(ids);
  const places = order.flatMap((id, i) => (moving.has(id) ? [i] : []));
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (by === -1) return first === 0 ? undefined : order[first - 1];
  if (last === order.length - 1) return undefined;
  return order[last + 2] ?? null;
}

/** Tiles per row: 3 on a phone, 5 on a tablet, 7 on a desktop; fewer on deck. */
export function columnCount(width: number, isDeck: boolean): number {
  const [least, gap] = isDeck ? [150, 16] : [128, 8];
  return Math.max(isDeck ? 2 : 3, Math.floor((width + gap) / (least + gap)));
}

/** True once the person scrolled: the roll then stops following. */
function useScrolledAway(scroller: HTMLElement | null, isOn: boolean): RefObject<boolean> {
  const isAway = useRef(false);
  useEffect(() => {
    isAway.current = false;
    if (scroller === null || !isOn) return undefined;
    const markAway = (): void => {
      isAway.current = true;
    };
    const eventNames = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const eventName of eventNames) scroller.addEventListener(eventName, markAway, { passive: true });
    return () => {
      for (const eventName of eventNames) scroller.removeEventListener(eventName, markAway);
    };
  }, [scroller, isOn]);
  return isAway;
}

/** Feeds the scroll speed, so that only visible pictures load. */
function useTrackScrollSpeed(scroller: HTMLElement | null): void {
  useEffect(() => {
    if (scroller === null) return undefined;
    const onScroll = ({ timeStamp }: Event): void => rollScrollSpeed.addScroll(timeStamp, scroller.scrollTop);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller]);
}

/** Px: width of the list, and its distance from the scroller's start. */
function useListGeometry(
  list: RefObject<HTMLElement | null>,
  outer: HTMLElement | null,
): { readonly width: number; readonly margin: number } {
  const [geometry, setGeometry] = useState({ width: 0, margin: 0 });
  useLayoutEffect(() => {
    const inner = list.current;
    if (inner === null || outer === null) return undefined;
    const measure = (): void => {
      const width = inner.clientWidth;
      const margin = Math.round(
        inner.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop,
      );
      setGeometry((before) => (before.width === width && before.margin === margin ? before : { width, margin }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (const part of [inner, ...(inner.parentElement?.children ?? [])]) observer.observe(part);
    return () => observer.disconnect();
  }, [list, outer]);
  return geometry;
}
