import type { ReactNode } from 'react';
import type { Repositories } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Note } from '../../ui/feedback/Note';
import { PageHeader, useObservable } from '../shell';
import styles from './CapturePage.module.css';
import { CaptureWork } from './CaptureWork';

interface Props {
  readonly repositories: Repositories;
  readonly surveyId: SurveyId;
  readonly back: ReactNode;
  readonly toYou: (words: string) => ReactNode;
  readonly toTrace: (imageId: ImageId, words: string) => ReactNode;
}

export function CapturePage({ repositories, surveyId, back, toYou, toTrace }: Props) {
  const survey = useObservable(repositories.surveys.one(surveyId));
  const isOfOthers = useObservable(repositories.surveys.isOfOthers(surveyId));
  const person = useObservable(repositories.people.current);
  const shown = survey.items[0];
  if (isOfOthers) {
    return (
      <>
        <PageHeader title="Somebody else’s survey" back={back} />
        <main className={styles.alone}>
          <Note
            icon="lock"
            title="This survey belongs to somebody else"
            role="status"
            action={toYou(person === null ? 'Say who you are' : 'Change who is at this tablet')}
          >
            Whoever began it uses this tablet too. It is kept here and sent like everything else, and it shows when they
            are at the tablet: under the address with which it was begun. Who works on it with them sees it too.
          </Note>
        </main>
      </>
    );
  }
  if (shown !== undefined)
    return <CaptureWork repositories={repositories} survey={shown} back={back} toTrace={toTrace} />;
  const isGone = survey.status === 'ready';
  return (
    <>
      <PageHeader title={isGone ? 'No such survey' : 'Survey'} back={back} />
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
