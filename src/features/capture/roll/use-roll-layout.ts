import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useDeck } from '../../../ui/tokens/deck';
import { rollScrollSpeed } from './scroll-speed';

/** Short rolls render completely: browser search and screen readers find everything. */
const UNVIRTUALIZED_MAX = 60;
/** 4:3 photograph with its footer. */
const TILE_ASPECT = 0.765;

/** Tiles and rows of the roll, in px. */
export interface RollLayout {
  readonly columns: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly gap: number;
  /** Height of the whole roll. */
  readonly height: number;
  readonly rowsShown: readonly number[];
  readonly isScrolling: boolean;
  /** Rows that fit the scroller, at least one. */
  readonly pageRows: () => number;
  /** Scrolls a row into view without measuring, which would force a layout. */
  readonly showRow: (row: number) => void;
}

/** Virtualised grid of `count` tiles in the scroller, of whose top `coveredTop` px are covered. */
export function useRollLayout(
  list: RefObject<HTMLElement | null>,
  scroller: HTMLElement | null,
  count: number,
  coveredTop: number,
): RollLayout {
  const { width, margin } = useListGeometry(list, scroller);
  const isDeck = useDeck();
  const gap = isDeck ? 16 : 8;
  const columns = columnCount(width, isDeck);
  const tileWidth = (width - gap * (columns - 1)) / columns;
  const tileHeight = Math.max(64, Math.round(tileWidth * TILE_ASPECT));
  const rowHeight = tileHeight + gap;
  const rows = Math.ceil(count / columns);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: count <= UNVIRTUALIZED_MAX ? rows : 3,
    scrollMargin: margin,
    // Row positions are computed here: only another range needs a render.
    directDomUpdates: true,
    useFlushSync: false,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, tileHeight, gap, margin]);
  const showRow = useCallback(
    (row: number): void => {
      if (scroller === null || row < 0) return;
      const top = margin + row * rowHeight;
      const [from, height] = [virtual.scrollOffset ?? 0, virtual.scrollRect?.height ?? 0];
      if (top < from + coveredTop + gap) scroller.scrollTop = Math.max(0, row === 0 ? 0 : top - coveredTop - gap);
      else if (top + rowHeight > from + height) scroller.scrollTop = top + rowHeight - height;
    },
    [scroller, virtual, margin, rowHeight, gap, coveredTop],
  );
  useTrackScrollSpeed(scroller);
  return {
    columns,
    tileWidth,
    tileHeight,
    gap,
    height: Math.max(0, rows * rowHeight - gap),
    rowsShown: width === 0 ? [] : virtual.getVirtualItems().map(({ index }) => index),
    isScrolling: virtual.isScrolling,
    pageRows: () => Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / rowHeight) - 1),
    showRow,
  };
}

/** Keeps a row in view until the person scrolls; -1 follows none. */
export function useFollowRow(
  scroller: HTMLElement | null,
  showRow: RollLayout['showRow'],
  row: number,
  isOn: boolean,
): void {
  const isAway = useScrolledAway(scroller, isOn);
  useEffect(() => {
    if (!isAway.current) showRow(row);
  }, [isAway, showRow, row]);
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
