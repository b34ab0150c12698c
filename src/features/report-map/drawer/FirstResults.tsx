import { useLayoutEffect, useMemo } from 'react';
import { Button } from '../../../ui/controls/Button';
import type { ReportReef } from '../data/report-data';
import { detailOf, figureOf, LIST_LABEL, namedReefs, READING_TEXT, resultsTitle, type FirstReef } from './first-reefs';
import list from './list.module.css';
import { ReefList } from './ReefList';
import { noteFocus, watchPress } from './replace-list';
import styles from './ReportDrawer.module.css';

interface Props {
  /** Null while it is read. */
  readonly picture: { readonly results: readonly FirstReef[] } | null;
  readonly censusYear: string;
  /** Feature id. */
  readonly selected: string | null;
  readonly onPick: (reef: { readonly row: number; readonly featureId: string | null }) => void;
  readonly onHover: (row: number | null) => void;
  /** Called when a press begins and when it is over: until then the list must stay. Must not change. */
  readonly onPressed: (isPressed: boolean) => void;
  /** Null for someone who is signed in. */
  readonly onSignIn: (() => void) | null;
}

/**
 * List of the first picture in words: each reef with its cover and how sure it is. The drawer takes its place. The page
 * before the app has the same markup (`src/app/first-reef/early-list.ts`).
 */
export function FirstResults({ picture, censusYear, selected, onPick, onHover, onPressed, onSignIn }: Props) {
  useLayoutEffect(() => watchPress(onPressed), [onPressed]);
  // The list that takes its place is there once this commit is over.
  useLayoutEffect(() => () => queueMicrotask(noteFocus()), []);
  const { reefs, covers, ids } = useMemo(() => {
    const named = namedReefs(picture?.results ?? []);
    return {
      reefs: named.map(toReef),
      covers: new Map(named.map(({ row, cover }) => [row, cover])),
      ids: new Map(named.map(({ row, id }) => [row, id])),
    };
  }, [picture]);
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>{resultsTitle(censusYear)}</h1>
        {onSignIn !== null && <Button onPress={onSignIn}>Sign in</Button>}
      </div>
      <div className={styles.content} tabIndex={-1} data-drawer-content>
        <div className={list.pane}>
          <p className={list.reading} role="status">
            {READING_TEXT}
          </p>
          <ReefList
            label={LIST_LABEL}
            reefs={reefs}
            selected={selected}
            onPick={({ row }) => onPick({ row, featureId: ids.get(row) ?? null })}
            onHover={onHover}
            detail={({ row }) => detailOf(covers.get(row) ?? null)}
            figure={({ row }) => {
              const { percent, band } = figureOf(covers.get(row) ?? null);
              return (
                <>
                  {percent !== null && <b>{percent}</b>}
                  <small>{band}</small>
                </>
              );
            }}
          />
        </div>
      </div>
    </>
  );
}

/** Without an id of its own, a reef is named by its row. */
function toReef({ row, id, label }: FirstReef): ReportReef {
  return {
    row,
    featureId: id ?? `row ${row}`,
    name: label ?? '',
    gid: '',
    surveys: 0,
    images: 0,
    notYetPublic: 0,
    result: null,
  };
}
