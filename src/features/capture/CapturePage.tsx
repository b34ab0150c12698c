import type { ReactNode } from 'react';
import type { Repositories } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Note } from '../../ui/Note';
import { PageHead, useLive } from '../shell';
import styles from './CapturePage.module.css';
import { CaptureWork } from './CaptureWork';

interface Props {
  readonly repositories: Repositories;
  readonly surveyId: SurveyId;
  /** The way back to the surveys. */
  readonly back: ReactNode;
}

/** One survey: its log, its photographs, and the adding of more. */
export function CapturePage({ repositories, surveyId, back }: Props) {
  const survey = useLive(repositories.surveys.one(surveyId));
  const shown = survey.items[0];
  if (shown !== undefined) return <CaptureWork repositories={repositories} survey={shown} back={back} />;
  const isGone = survey.status === 'ready';
  return (
    <>
      <PageHead title={isGone ? 'No such survey' : 'Survey'} back={back} />
      <main className={styles.alone}>
        {survey.status === 'error' ? (
          <Note tone="look" icon="alert" title="The survey could not be read just now" role="status">
            {survey.error.message} What was saved is still on this tablet.
          </Note>
        ) : (
          <Note icon="survey" title={isGone ? 'This survey is not on this tablet' : 'Opening the survey'} role="status">
            {isGone ? 'It was deleted, or it has not come from the box yet.' : 'Reading what is kept on this tablet.'}
          </Note>
        )}
      </main>
    </>
  );
}
