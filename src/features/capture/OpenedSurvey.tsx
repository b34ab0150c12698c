import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Note } from '../../ui/feedback/Note';
import { BackLink, PageHeader, useObservable } from '../shell';
import styles from './CapturePage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'account'>;
  readonly surveyId: SurveyId;
  readonly children: (survey: SurveyView) => ReactNode;
}

/** Page of a survey once it is read; else the reason that it is not shown. */
export function OpenedSurvey({ repositories, surveyId, children }: Props) {
  const survey = useObservable(repositories.census.surveys.one(surveyId));
  const isOfOthers = useObservable(repositories.census.surveys.isOfOthers(surveyId));
  const person = useObservable(repositories.account.people.current);
  const shown = survey.items[0];
  const back = <BackLink to="/surveys" name="Back to the surveys" />;
  if (isOfOthers) {
    return (
      <>
        <PageHeader title="Another user’s survey" back={back} />
        <main className={styles.alone}>
          <Note
            icon="lock"
            title="This survey belongs to someone else"
            role="status"
            action={<Link to="/you">{person === null ? 'Enter your name' : 'Switch user'}</Link>}
          >
            Another user of this tablet started it. It is stored here and sent like everything else. It appears when
            they use the tablet with the email address they started it with. People who work on it with them see it too.
          </Note>
        </main>
      </>
    );
  }
  if (shown !== undefined) return children(shown);
  const isGone = survey.status === 'ready';
  return (
    <>
      <PageHeader title={isGone ? 'Survey not found' : 'Survey'} back={back} />
      <main className={styles.alone}>
        {survey.status === 'error' ? (
          <Note tone="look" icon="alert" title="The survey could not be read" role="status">
            {survey.error.message} Everything saved is still on this tablet.
          </Note>
        ) : (
          <Note icon="survey" title={isGone ? 'This survey is not on this tablet' : 'Opening the survey'} role="status">
            {isGone ? 'It was deleted, or has not arrived from the box yet.' : 'Loading from this tablet.'}
          </Note>
        )}
      </main>
    </>
  );
}
