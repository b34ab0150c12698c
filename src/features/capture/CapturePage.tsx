import { useEffect } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { BackLink } from '../shell';
import { CaptureWork } from './CaptureWork';
import { OpenedSurvey } from './OpenedSurvey';

interface Props {
  readonly repositories: Repositories;
  readonly surveyId: SurveyId;
}

export function CapturePage({ repositories, surveyId }: Props) {
  return (
    <OpenedSurvey repositories={repositories} surveyId={surveyId}>
      {(survey) => <RememberedWork repositories={repositories} survey={survey} />}
    </OpenedSurvey>
  );
}

/** Records the survey as the one last open, which the list of surveys offers again. Nothing is lost if that fails. */
function RememberedWork({
  repositories,
  survey,
}: {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
}) {
  const { current, setCurrent } = repositories.census.surveys;
  const { id } = survey;
  useEffect(() => {
    if (id !== current.get()) setCurrent(id).catch(() => undefined);
  }, [current, setCurrent, id]);
  return (
    <CaptureWork
      repositories={repositories}
      survey={survey}
      back={<BackLink to="/surveys" name="Back to the surveys" />}
    />
  );
}
