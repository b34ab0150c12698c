import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pluralize } from '../../base/plural';
import type { AnalysisRepository, NoImage, TraceImage, UnfinishedWork } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { useObservable, useRegion } from '../shell';
import styles from './AnalysePage.module.css';
import { analysisLink } from './lists/analysis-link';
import { NO_IMAGE_MESSAGES } from './next-photograph/NextPreview';

interface Props {
  readonly analyses: AnalysisRepository;
  readonly isExpert: boolean;
  readonly onStart: (way: AnalysisWay, image: TraceImage, isExpert: boolean) => void;
}

/** Ways to analyse a photograph. */
type AnalysisWay = 'labels' | 'trace' | 'form';

/** Panel to resume unfinished work or to start with the next photograph. */
export function StartPanel({ analyses, isExpert, onStart }: Props) {
  const navigate = useNavigate();
  const regionId = useRegion();
  const unfinished = useObservable(analyses.unfinished);
  const [none, setNone] = useState<NoImage | null>(null);
  const [looking, setLooking] = useState<AnalysisWay | null>(null);
  const isLooking = looking !== null;
  const start = (way: AnalysisWay): void => {
    setLooking(way);
    setNone(null);
    const except = unfinished.items.map(({ imageId }) => imageId);
    analyses.next({ isExpert, except, ...(way === 'labels' ? { labels: { regionId } } : {}) }).then(
      (next) => {
        setLooking(null);
        if ('image' in next) onStart(way, next.image, isExpert);
        else setNone(next.none);
      },
      (error: unknown) => {
        console.error('Looking for a photograph failed:', error);
        setLooking(null);
        setNone('failed');
      },
    );
  };
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
          ? 'Label the outlines on a photograph, or trace one by hand: yours or, with a connection, one from the census. Everything you do is stored on this tablet at once.'
          : `${workText(latest)}. The analysis is not saved yet, but everything you did is stored on this tablet.`}
      </p>
      <p className={styles.actions}>
        {latest !== undefined && (
          <Button variant="primary" icon="pen" onPress={() => void navigate(analysisLink(latest, isExpert))}>
            Continue
          </Button>
        )}
        <Button
          variant={latest === undefined ? 'primary' : 'line'}
          onPress={() => start('labels')}
          isDisabled={isLooking}
        >
          {looking === 'labels' ? 'Searching' : 'Label outlines'}
        </Button>
        <Button onPress={() => start('trace')} isDisabled={isLooking}>
          {looking === 'trace' ? 'Searching' : 'Trace by hand'}
        </Button>
        {isExpert && (
          <Button onPress={() => start('form')} isDisabled={isLooking}>
            Enter percentages
          </Button>
        )}
      </p>
      {none !== null && (
        <Note icon="info" role="status" title={NO_IMAGE_MESSAGES[none].title}>
          {NO_IMAGE_MESSAGES[none].text}
        </Note>
      )}
      {others.length > 0 && (
        <ul className={styles.others}>
          {others.map((work) => (
            <li key={`${work.kind} ${work.imageId}`}>
              <Link {...analysisLink(work, isExpert)}>{workText(work)}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const workText = ({ kind, surveyName, marks, at }: UnfinishedWork): string =>
  `${surveyName === '' ? 'A photograph' : surveyName}, ${countText(kind, marks)}, last on ${new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' })}`;

const COUNTED: Readonly<Record<UnfinishedWork['kind'], readonly [string, string]>> = {
  'free-draw': ['stroke', 'strokes'],
  labels: ['label', 'labels'],
  form: ['percentage', 'percentages'],
};

const countText = (kind: UnfinishedWork['kind'], count: number): string =>
  `${count === 1 ? 'one' : count.toLocaleString('en')} ${pluralize(count, ...COUNTED[kind])}`;
