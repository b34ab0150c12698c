import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ReportRead, ReportRepository, ReportSurvey } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import type { ReportData } from '../data/use-report';
import { reefName } from '../../../domain/reef/reef-label';
import { reefDetail, type ReportReef } from '../data/report-data';
import { ReefSurveys } from '../surveys/ReefSurveys';
import { SurveyCard } from '../surveys/SurveyCard';
import list from './list.module.css';
import { ReadNote } from './ReadNote';
import { ReefList } from './ReefList';
import { ReefSearch } from './ReefSearch';

interface Props {
  readonly report: ReportRepository;
  readonly data: ReportData;
  readonly reef: ReportReef | null;
  readonly surveys: ReportRead<readonly ReportSurvey[]>;
  readonly surveyId: string | null;
  /** Changes with the dataset: the list begins again. */
  readonly listKey: string;
  /** Result of the reef, below its surveys. */
  readonly result: ReactNode;
  readonly onReef: (featureId: string | null) => void;
  readonly onSurvey: (surveyId: string | null) => void;
  readonly onHover: (row: number | null) => void;
}

const surveyCount = ({ surveys, notYetPublic }: ReportReef): ReactNode => (
  <>
    <b>{(surveys + notYetPublic).toLocaleString('en')}</b>
    <small>{surveys + notYetPublic === 1 ? 'survey' : 'surveys'}</small>
  </>
);

/** Reef list, then the active reef, then the active survey, with back links (3§4). */
export function SurveysTab(props: Props) {
  const { report, data, reef, surveys, surveyId, listKey, result, onReef, onSurvey, onHover } = props;
  const [isSearching, setIsSearching] = useState(false);
  const search = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSearching) search.current?.querySelector('input')?.focus();
  }, [isSearching]);
  const left = useRef<string | null>(null);
  useEffect(() => {
    if (reef !== null) left.current = reef.featureId;
  }, [reef]);
  const survey = surveyId === null ? undefined : surveys.value?.find(({ id }) => id === surveyId);
  if (reef !== null && survey !== undefined)
    return <SurveyCard report={report} survey={survey} reefTitle={reefName(reef)} onBack={() => onSurvey(null)} />;
  if (reef !== null)
    return (
      <>
        {surveyId !== null && surveys.value !== null && surveys.status !== 'reading' && (
          <p className={list.sub} role="status">
            This reef has no survey of that address, or it is not open to you.
          </p>
        )}
        <ReefSurveys reef={reef} surveys={surveys} result={result} onBack={() => onReef(null)} onPick={onSurvey} />
      </>
    );
  const { surveyed, dataset, table } = data;
  return (
    <div className={list.pane}>
      <div className={list.heading}>
        <h2>Surveys {dataset?.censusYear ?? ''}</h2>
        <Button
          variant="quiet"
          icon={isSearching ? 'close' : 'search'}
          aria-expanded={isSearching}
          onPress={() => setIsSearching(!isSearching)}
        >
          Search Reefs
        </Button>
      </div>
      {isSearching && (
        <div className={list.search} ref={search}>
          <ReefSearch table={table.value} reefs={surveyed} onPick={({ featureId }) => onReef(featureId)} />
        </div>
      )}
      <ReadNote read={table} loading="Reading the reefs of this region" />
      {table.value !== null && surveyed.length === 0 && (
        <p className={list.empty}>No reef of this dataset has a survey yet.</p>
      )}
      <ReefList
        key={listKey}
        label="Surveyed reefs"
        reefs={surveyed}
        selected={null}
        left={left.current}
        onPick={({ featureId }) => onReef(featureId)}
        onHover={onHover}
        detail={reefDetail}
        figure={surveyCount}
      />
    </div>
  );
}
