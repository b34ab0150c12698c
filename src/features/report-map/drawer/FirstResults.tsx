import { useMemo } from 'react';
import { Button } from '../../../ui/controls/Button';
import { bandOf, certaintyText, coverText, NOT_AVAILABLE } from '../reef/cover-text';
import type { ReportReef } from '../data/report-data';
import list from './list.module.css';
import { ReefList } from './ReefList';
import styles from './ReportDrawer.module.css';

/** Reefs of a first picture that have a result. */
interface FirstResultsOf {
  readonly results: readonly {
    readonly row: number;
    readonly id: string | null;
    readonly label: string | null;
    readonly cover: { readonly value: number; readonly low: number; readonly high: number } | null;
  }[];
}

interface Props {
  /** Null while it is read. */
  readonly picture: FirstResultsOf | null;
  readonly censusYear: string;
  /** Feature id. */
  readonly selected: string | null;
  readonly onPick: (reef: { readonly row: number; readonly featureId: string | null }) => void;
  readonly onHover: (row: number | null) => void;
  /** Null for someone who is signed in. */
  readonly onSignIn: (() => void) | null;
}

/** List of the first picture in words: each reef with its cover and how sure it is. The drawer takes its place. */
export function FirstResults({ picture, censusYear, selected, onPick, onHover, onSignIn }: Props) {
  const { reefs, covers, ids } = useMemo(() => {
    const named = (picture?.results ?? []).filter(({ label }) => label !== null);
    return {
      reefs: named.map(toReef).toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
      covers: new Map(named.map(({ row, cover }) => [row, cover])),
      ids: new Map(named.map(({ row, id }) => [row, id])),
    };
  }, [picture]);
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>Results {censusYear}</h1>
        {onSignIn !== null && <Button onPress={onSignIn}>Sign in</Button>}
      </div>
      <div className={styles.content}>
        <div className={list.pane}>
          <p className={list.reading} role="status">
            Reading the reefs of this region
          </p>
          <ReefList
            label="Reefs with results"
            reefs={reefs}
            selected={selected}
            onPick={({ row }) => onPick({ row, featureId: ids.get(row) ?? null })}
            onHover={onHover}
            detail={({ row }) => {
              const cover = covers.get(row) ?? null;
              return cover === null ? 'Its photographs are too few for a cover' : certaintyText(cover);
            }}
            figure={({ row }) => {
              const cover = covers.get(row) ?? null;
              return (
                <>
                  {cover !== null && <b>{coverText(cover.value)}</b>}
                  <small>{cover === null ? NOT_AVAILABLE : bandOf(cover.value)}</small>
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
function toReef({ row, id, label }: FirstResultsOf['results'][number]): ReportReef {
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
