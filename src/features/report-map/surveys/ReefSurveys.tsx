import type { ReactNode } from 'react';
import type { ReportRead, ReportSurvey } from '../../../data/repositories';
import { formatCount } from '../../../base/plural';
import { Button } from '../../../ui/controls/Button';
import { reefName } from '../../../domain/reef/reef-label';
import { reefDetail, type ReportReef } from '../data/report-data';
import list from '../drawer/list.module.css';
import { ReadNote } from '../drawer/ReadNote';
import { imageCountText, surveyDay } from './survey-name';
import { typeText } from './survey-text';

interface Props {
  readonly reef: ReportReef;
  readonly surveys: ReportRead<readonly ReportSurvey[]>;
  /** Result of the reef, below its surveys. */
  readonly result: ReactNode;
  readonly onBack: () => void;
  readonly onPick: (surveyId: string) => void;
}

/** Surveys of a reef (3§2: "Picking a reef shows its surveys"). */
export function ReefSurveys({ reef, surveys, result, onBack, onPick }: Props) {
  const items = surveys.value ?? [];
  return (
    <div className={list.pane}>
      <div className={list.back}>
        <Button variant="quiet" icon="back" onPress={onBack}>
          All reefs
        </Button>
      </div>
      <h2 className={list.title}>{reefName(reef)}</h2>
      <p className={list.sub}>{reefDetail(reef)}</p>
      <ReadNote read={surveys} loading="Reading the surveys of this reef" subject="Public surveys" />
      {items.length === 0 && surveys.status !== 'reading' && surveys.status !== 'error' && (
        <p className={list.empty}>No survey of this reef in this dataset is open to you.</p>
      )}
      <ul className={list.list} aria-label={`${formatCount(items.length, 'survey')} of ${reefName(reef)}`}>
        {items.map((survey) => (
          <li key={survey.id}>
            <button type="button" className={list.row} data-step={survey.id} onClick={() => onPick(survey.id)}>
              <span className={list.words}>
                <strong>{surveyDay(survey)}</strong>
                <small>
                  {typeText(survey)}
                  {survey.isAboardOnly && ', on this vessel, not yet public'}
                </small>
              </span>
              <span className={list.count}>{imageCountText(survey, null)}</span>
            </button>
          </li>
        ))}
      </ul>
      {result}
    </div>
  );
}
