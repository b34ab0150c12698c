import { memo, useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { formatCount } from '../../../base/plural';
import { LIMITS } from '../../../domain/limits';
import { Button } from '../../../ui/controls/Button';
import { reefName } from '../../../domain/reef/reef-label';
import type { ReportReef } from '../data/report-data';
import list from './list.module.css';
import { scrollParent } from './scroll-parent';

/** Distance to the end of the list at which more is loaded, px: four rows. */
const LOAD_AHEAD_PX = 288;

interface Props {
  readonly label: string;
  readonly reefs: readonly ReportReef[];
  /** Feature id. */
  readonly selected: string | null;
  /** Feature id of the reef that was left: the list is loaded up to this one, or the selected one. */
  readonly left?: string | null;
  readonly onPick: (reef: ReportReef) => void;
  /** Row of the reef whose card is hovered or focused; null when it is left. */
  readonly onHover: (row: number | null) => void;
  /** Second line of a card. Must not change: cards are drawn once. */
  readonly detail: (reef: ReportReef) => ReactNode;
  /** Figure of a card. Must not change. */
  readonly figure: (reef: ReportReef) => ReactNode;
}

/**
 * Cards of reefs, ten at a time: more load as the list scrolls, or by Load More (3§2). Arrow keys go from card to card.
 * A caller gives it another `key` for another list.
 */
export function ReefList({ label, reefs, selected, left = null, onPick, onHover, detail, figure }: Props) {
  const [shown, setShown] = useState<number>(LIMITS.queryLimit);
  const rows = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef({ onPick, onHover });
  latest.current = { onPick, onHover };
  const pick = useCallback((reef: ReportReef) => latest.current.onPick(reef), []);
  const hover = useCallback((row: number | null) => latest.current.onHover(row), []);
  // A reef of the address may be far down the list.
  const far = selected ?? left;
  const at = far === null ? -1 : reefs.findIndex(({ featureId }) => featureId === far);
  const count = Math.max(shown, at + 1);
  const hasMore = count < reefs.length;
  useEffect(() => {
    const element = end.current;
    if (element === null || !hasMore) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setShown(count + LIMITS.queryLimit);
      },
      { root: scrollParent(element), rootMargin: `0px 0px ${LOAD_AHEAD_PX}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, count]);
  const loadFrom = useRef<number | null>(null);
  useEffect(() => {
    const from = loadFrom.current;
    if (from === null || count <= from) return;
    loadFrom.current = null;
    // The keyboard continues at the first new card.
    cardsOf(rows.current)[from]?.focus();
  }, [count]);
  return (
    <>
      <ul
        ref={rows}
        className={list.list}
        aria-label={`${label}: ${formatCount(reefs.length, 'reef')}`}
        onKeyDown={moveFocus}
      >
        {reefs.slice(0, count).map((reef) => (
          <ReefCard
            key={reef.featureId}
            reef={reef}
            isSelected={reef.featureId === selected}
            onPick={pick}
            onHover={hover}
            detail={detail}
            figure={figure}
          />
        ))}
      </ul>
      {hasMore && (
        <div className={list.more} ref={end}>
          <Button
            onPress={() => {
              loadFrom.current = count;
              setShown(count + LIMITS.queryLimit);
            }}
          >
            Load More
          </Button>
        </div>
      )}
    </>
  );
}

interface CardProps extends Pick<Props, 'onPick' | 'onHover' | 'detail' | 'figure'> {
  readonly reef: ReportReef;
  readonly isSelected: boolean;
}

const ReefCard = memo(function ReefCard({ reef, isSelected, onPick, onHover, detail, figure }: CardProps) {
  return (
    <li className={list.item}>
      <button
        type="button"
        className={list.row}
        data-step={reef.featureId}
        aria-current={isSelected ? 'true' : undefined}
        onClick={() => onPick(reef)}
        onPointerEnter={() => onHover(reef.row)}
        onPointerLeave={() => onHover(null)}
        onFocus={() => onHover(reef.row)}
        onBlur={() => onHover(null)}
      >
        <span className={list.words}>
          <strong>{reefName(reef)}</strong>
          <small>{detail(reef)}</small>
        </span>
        <span className={list.count}>{figure(reef)}</span>
      </button>
    </li>
  );
});

function cardsOf(rows: HTMLElement | null): readonly HTMLElement[] {
  return rows === null ? [] : [...rows.querySelectorAll<HTMLElement>('button')];
}

/** Moves the focus to the card above or below. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  const cards = cardsOf(event.currentTarget);
  const next = cards[cards.findIndex((card) => card === document.activeElement) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
