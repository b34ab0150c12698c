import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnalysisRepository, NoImage, TraceImage, UnfinishedWork } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { useObservable } from '../shell';
import styles from './AnalysePage.module.css';
import { NO_IMAGE_MESSAGES } from './trace/dialogs/NextPreview';

interface Props {
  readonly analyses: AnalysisRepository;
  readonly isExpert: boolean;
  readonly onTrace: (surveyId: SurveyId, imageId: ImageId) => void;
  readonly onExpert: (place: 'trace' | 'form', surveyId: SurveyId, imageId: ImageId) => void;
}

/** Panel to resume unfinished work or to start with the next photograph. */
export function StartPanel({ analyses, isExpert, onTrace, onExpert }: Props) {
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
        console.error('Looking for a photograph failed:', error);
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
            ? 'One started'
            : `${unfinished.items.length} started`}
      </p>
      <p className={styles.words}>
        {latest === undefined
          ? 'Trace one of your photographs or, with a connection, one from the census. Every stroke is stored on this tablet as you draw.'
          : `${workText(latest)}. The analysis is not saved yet, but every stroke is stored on this tablet.`}
      </p>
      <p className={styles.actions}>
        {latest !== undefined && (
          <Button variant="primary" icon="pen" onPress={() => onTrace(latest.surveyId, latest.imageId)}>
            Continue
          </Button>
        )}
        <Button
          variant={latest === undefined ? 'primary' : 'line'}
          onPress={() => start('trace')}
          isDisabled={isLooking}
        >
          {isLooking ? 'Searching' : latest === undefined ? 'Start the next photograph' : 'Start another photograph'}
        </Button>
        {isExpert && (
          <Button onPress={() => start('form')} isDisabled={isLooking}>
            Enter percentages
          </Button>
        )}
      </p>
      {none !== null && (
        <Note
          icon="info"
          role="status"
          title={none === 'failed' ? 'The search for a photograph failed' : NO_IMAGE_MESSAGES[none].title}
        >
          {none === 'failed' ? 'Nothing is lost. Try again in a moment.' : NO_IMAGE_MESSAGES[none].text}
        </Note>
      )}
      {others.length > 0 && (
        <ul className={styles.others}>
          {others.map((work) => (
            <li key={work.imageId}>
              <Link to="/analysis/$survey/$id" params={{ survey: work.surveyId, id: work.imageId }}>
                {workText(work)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const workText = ({ surveyName, marks, at }: UnfinishedWork): string =>
  `${surveyName === '' ? 'A photograph' : surveyName}, ${marks === 1 ? 'one stroke' : `${marks.toLocaleString('en')} strokes`}, last on ${new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' })}`;
