import { useState, type ReactNode } from 'react';
import type { NoImage, Repositories, TraceImage, UnfinishedWork } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSignIn } from '../auth';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import styles from './AnalysePage.module.css';
import { OwnPhotographs } from './lists/OwnPhotographs';
import { ClosedSeason } from './access/ClosedSeason';
import { NO_IMAGE_MESSAGES } from './trace/dialogs/NextPreview';
import { isClosedFor } from './access/season';
import { useRoles } from './access/use-roles';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge' | 'images' | 'people' | 'surveys'>;
  readonly onTrace: (surveyId: SurveyId, imageId: ImageId) => void;
  readonly toSurvey: (surveyId: SurveyId, content: ReactNode) => ReactNode;
  readonly toOwnAnalyses: (words: string) => ReactNode;
  readonly toTrace: (surveyId: SurveyId, imageId: ImageId, content: ReactNode) => ReactNode;
  readonly signUp: (words: string, className: string) => ReactNode;
  /** Link to the training, which needs neither a name nor a connection. */
  readonly toTraining: (words: string) => ReactNode;
  readonly onExpert: (place: 'trace' | 'form', surveyId: SurveyId, imageId: ImageId) => void;
}

/** Start page of analysis. */
export function AnalysePage({
  repositories,
  onTrace,
  toSurvey,
  toTrace,
  toOwnAnalyses,
  signUp,
  toTraining,
  onExpert,
}: Props) {
  const { analyses, edge, people } = repositories;
  const uid = useObservable(people.current)?.uid ?? null;
  const roles = useRoles(analyses, uid);
  const isClosed = isClosedFor(roles);
  return (
    <>
      <PageHeader
        title="Analyse"
        sub="Paint what lives on a photograph of the reef, and see its cover add up."
        facts={<ConnectionFacts edge={edge} />}
      />
      <main className={styles.page}>
        {isClosed ? (
          <ClosedSeason signUp={signUp} />
        ) : uid === null ? (
          <SignInPrompt />
        ) : (
          <StartPanel
            analyses={analyses}
            isExpert={roles?.isExpert ?? false}
            onTrace={onTrace}
            toTrace={toTrace}
            onExpert={onExpert}
          />
        )}
        {!isClosed && uid !== null && (
          <OwnPhotographs repositories={repositories} toSurvey={toSurvey} toTrace={toTrace} />
        )}
        <section className={styles.own}>
          <h2>New to this?</h2>
          <p>
            Learn to paint on made pictures whose true cover is known. It takes about ten minutes, and nothing of it is
            kept or sent.
          </p>
          <ul className={styles.others}>
            <li>{toTraining('Training')}</li>
          </ul>
        </section>
        {uid !== null && (
          <section className={styles.own}>
            <h2>What you have analysed</h2>
            <ul className={styles.others}>
              <li>{toOwnAnalyses('Your analyses')}</li>
            </ul>
          </section>
        )}
      </main>
    </>
  );
}

function SignInPrompt() {
  return (
    <section className={styles.big}>
      <p className={styles.figure}>Who are you?</p>
      <p className={styles.words}>
        An analysis is saved under a name. Sign in, or say who you are; at sea that works without a link.
      </p>
      <p>
        <Button variant="primary" onPress={openSignIn}>
          Sign in
        </Button>
      </p>
    </section>
  );
}

function StartPanel({
  analyses,
  isExpert,
  onTrace,
  toTrace,
  onExpert,
}: Pick<Props, 'onTrace' | 'toTrace' | 'onExpert'> & {
  readonly analyses: Repositories['analyses'];
  readonly isExpert: boolean;
}) {
  const unfinished = useObservable(analyses.unfinished);
  const [none, setNone] = useState<NoImage | 'failed' | null>(null);
  const [isLooking, setLooking] = useState(false);
  const start = (place: 'trace' | 'form'): void => {
    setLooking(true);
    setNone(null);
    analyses.next({ isExpert, except: unfinished.items.map(({ imageId }) => imageId) }).then(
      (next) => {
        setLooking(false);
        if ('image' in next) open(place, next.image);
        else setNone(next.none);
      },
      (error: unknown) => {
        console.error('No photograph could be looked for:', error);
        setLooking(false);
        setNone('failed');
      },
    );
  };
  const open = (place: 'trace' | 'form', { survey, id }: TraceImage): void =>
    isExpert ? onExpert(place, survey.id, id) : onTrace(survey.id, id);
  const [latest, ...others] = unfinished.items;
  return (
    <section className={styles.big}>
      <p className={styles.figure}>
        {latest === undefined
          ? 'Ready'
          : unfinished.items.length === 1
            ? 'One is begun'
            : `${unfinished.items.length} are begun`}
      </p>
      <p className={styles.words}>
        {latest === undefined
          ? 'Trace a photograph of yours, or, with a link, one of the census. Every stroke is kept on this tablet as you draw it.'
          : `${workText(latest)}, and not saved yet. Every stroke is kept on this tablet.`}
      </p>
      <p className={styles.actions}>
        {latest !== undefined && (
          <Button variant="primary" icon="pen" onPress={() => onTrace(latest.surveyId, latest.imageId)}>
            Go on with it
          </Button>
        )}
        <Button
          variant={latest === undefined ? 'primary' : 'line'}
          onPress={() => start('trace')}
          isDisabled={isLooking}
        >
          {isLooking ? 'Looking for one' : latest === undefined ? 'Start with the next photograph' : 'Take another one'}
        </Button>
        {isExpert && (
          <Button onPress={() => start('form')} isDisabled={isLooking}>
            Type percentages
          </Button>
        )}
      </p>
      {none !== null && (
        <Note
          icon="info"
          role="status"
          title={none === 'failed' ? 'It could not be looked for' : NO_IMAGE_MESSAGES[none].title}
        >
          {none === 'failed' ? 'Nothing is lost. Try again in a moment.' : NO_IMAGE_MESSAGES[none].text}
        </Note>
      )}
      {others.length > 0 && (
        <ul className={styles.others}>
          {others.map((work) => (
            <li key={work.imageId}>{toTrace(work.surveyId, work.imageId, workText(work))}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

const workText = ({ surveyName, marks, at }: UnfinishedWork): string =>
  `${surveyName === '' ? 'A photograph' : surveyName}, ${marks === 1 ? 'one stroke' : `${marks.toLocaleString('en')} strokes`} until ${new Date(at).toLocaleString('en-AU', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' })}`;
