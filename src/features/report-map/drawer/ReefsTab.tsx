import type { ReactNode } from 'react';
import { bandText, coverText, resultText } from '../reef/cover-text';
import type { ReportData } from '../data/use-report';
import type { ReportReef } from '../data/report-data';
import list from './list.module.css';
import { ReadNote } from './ReadNote';
import { ReefList } from './ReefList';
import { ReefSearch } from './ReefSearch';

interface Props {
  readonly data: ReportData;
  readonly selected: string | null;
  /** Changes with the dataset: the list begins again. */
  readonly listKey: string;
  readonly onReef: (featureId: string) => void;
  readonly onHover: (row: number | null) => void;
}

const certainty = ({ result }: ReportReef): string => (result === null ? '' : resultText(result));
const cover = ({ result }: ReportReef): ReactNode => (
  <>
    {result !== null && result.covers !== null && <b>{coverText(result.covers.totalCoralCover.value)}</b>}
    <small>{bandText(result)}</small>
  </>
);

/** Reefs with results (3§2 "Reefs tab"): each with its cover and how sure it is. */
export function ReefsTab({ data, selected, listKey, onReef, onHover }: Props) {
  const { withResults, resultsRead, table } = data;
  const pick = ({ featureId }: ReportReef): void => onReef(featureId);
  return (
    <div className={list.pane}>
      <div className={list.search}>
        <ReefSearch table={table.value} reefs={withResults} onPick={pick} />
      </div>
      <ReadNote read={table} loading="Reading the reefs of this region" />
      {table.status !== 'error' && <ReadNote read={resultsRead} loading="Reading the results" />}
      {resultsRead.value !== null &&
        resultsRead.status !== 'error' &&
        table.value !== null &&
        withResults.length === 0 && <p className={list.empty}>No reef of this dataset has a result yet.</p>}
      <ReefList
        key={listKey}
        label="Reefs with results"
        reefs={withResults}
        selected={selected}
        onPick={pick}
        onHover={onHover}
        detail={certainty}
        figure={cover}
      />
    </div>
  );
}
