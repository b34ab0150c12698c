import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { NextImage, NoImage, Repositories, TraceImage } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { ClosedSeason, isClosedFor, NO_IMAGE_MESSAGES, useAnalyst } from '../../analysis';
import { openSignIn } from '../../auth';
import { useObservable, useRegion, useTitle } from '../../shell';
import { useStableCallback } from '../use-stable-callback';
import styles from '../LabellingPage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'account'>;
  readonly onGo: (image: TraceImage) => void;
}

/** Start of the older linear flow without a photograph: finds one. */
export function LinearStartPage({ repositories, onGo }: Props) {
  useTitle('Label the reef');
  const { analyses, uid, roles } = useAnalyst(repositories);
  const regionId = useRegion();
  const [found, setFound] = useState<NoImage | null>(null);
  const [attempt, setAttempt] = useState(0);
  const unfinished = useObservable(analyses.unfinished);
  const isKnown = unfinished.status === 'ready';
  const go = useStableCallback(onGo);
  // Begun work goes on from the start page, in its own screen.
  const find = useStableCallback((isExpert: boolean, tell: (next: NextImage) => void) => {
    analyses
      .next({ isExpert, except: unfinished.items.map(({ imageId }) => imageId), labels: { regionId } })
      .then(tell, (error: unknown) => {
        console.warn('No photograph could be found:', error);
        tell({ none: 'failed' });
      });
  });
  const isClosed = isClosedFor(roles);
  const isExpert = roles?.isExpert ?? null;
  useEffect(() => {
    if (isExpert === null || isClosed || !isKnown) return undefined;
    if (uid === null) openSignIn();
    let isOver = false;
    setFound(null);
    find(isExpert, (next) => {
      if (isOver) return;
      if ('image' in next) go(next.image);
      else setFound(next.none);
    });
    return () => {
      isOver = true;
    };
  }, [find, go, uid, isExpert, isClosed, isKnown, attempt]);
  return (
    <main className={styles.opening}>
      {isClosed ? (
        <ClosedSeason />
      ) : found === null ? (
        <p role="status">Looking for a photograph.</p>
      ) : (
        <Note
          icon="info"
          role="status"
          title={NO_IMAGE_MESSAGES[found].title}
          action={<Button onPress={() => setAttempt(attempt + 1)}>Try again</Button>}
        >
          {NO_IMAGE_MESSAGES[found].text}
        </Note>
      )}
      <p>
        <Link to="/analysis">Back to Analyse</Link>
      </p>
    </main>
  );
}
