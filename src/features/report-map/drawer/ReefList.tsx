import { useEffect, useRef, useState, type ReactNode } from 'react';
import { formatCount } from '../../../base/plural';
import { LIMITS } from '../../../domain/limits';
import { Button } from '../../../ui/controls/Button';
import { reefName, type ReportReef } from '../data/report-data';
import list from './list.module.css';

interface Props {
  readonly label: string;
  readonly reefs: readonly ReportReef[];
  /** Feature id. */
  readonly selected: string | null;
  readonly onPick: (reef: ReportReef) => void;
  /** Row of the reef whose card is hovered or focused; null when it is left. */
  readonly onHover: (row: number | null) => void;
  /** Second line of a card. */
  readonly detail: (reef: ReportReef) => ReactNode;
  /** Figure of a card. */
  readonly figure: (reef: ReportReef) => ReactNode;
}

/** Cards of reefs, ten at a time: more load as the list scrolls, or by Load More (3§2). */
export function ReefList({ label, reefs, selected, onPick, onHover, detail, figure }: Props) {
  const [shown, setShown] = useState<number>(LIMITS.queryLimit);
  const end = useRef<HTMLDivElement>(null);
  const hasMore = shown < reefs.length;
  useEffect(() => setShown(LIMITS.queryLimit), [reefs]);
  useEffect(() => {
    const element = end.current;
    if (element === null || !hasMore) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setShown((count) => count + LIMITS.queryLimit);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, shown]);
  // A reef of the address may be far down the list.
  const at = selected === null ? -1 : reefs.findIndex(({ featureId }) => featureId === selected);
  const count = Math.max(shown, at + 1);
  return (
    <>
      <ul className={list.list} aria-label={`${label}: ${formatCount(reefs.length, 'reef')}`}>
        {reefs.slice(0, count).map((reef) => (
          <li key={reef.featureId}>
            <button
              type="button"
              className={list.row}
              aria-current={reef.featureId === selected ? 'true' : undefined}
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
        ))}
      </ul>
      {count < reefs.length && (
        <div className={list.more} ref={end}>
          <Button onPress={() => setShown(count + LIMITS.queryLimit)}>Load More</Button>
        </div>
      )}
    </>
  );
}
