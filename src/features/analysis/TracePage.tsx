import { useEffect, useState, type ReactNode } from 'react';
import type { FreeDrawWork, Repositories, TraceImage } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSignIn } from '../auth';
import { useObservable, useTitle } from '../shell';
import { ClosedSeason } from './access/ClosedSeason';
import { isClosedFor } from './access/season';
import { Tracing, type TraceLinks } from './trace/Tracing';
import styles from './TracePage.module.css';
import { useRoles } from './access/use-roles';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge' | 'people'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  readonly version?: 1 | 3;
  readonly links: TraceLinks & { readonly signUp: (words: string, className: string) => ReactNode };
  readonly onGo: (image: TraceImage) => void;
}

type Opened =
  | { readonly status: 'opening' }
  | { readonly status: 'ready'; readonly image: TraceImage; readonly work: FreeDrawWork }
  | { readonly status: 'failed'; readonly error: unknown };

/** True if version 1 was requested but the work holds areas: an extension of version 3 that version 1 would lose. */
const mustRaiseVersion = (version: 1 | 3, { marks, undone }: FreeDrawWork): boolean =>
  version === 1 && [...marks, ...undone].some(({ kind }) => kind === 'polygon');

/** Screen `analysis` (2§2): one photograph, traced. */
export function TracePage({ repositories, surveyId, imageId, version = 3, links, onGo }: Props) {
  const { analyses, people } = repositories;
  useTitle('Trace the reef');
  const uid = useObservable(people.current)?.uid ?? null;
  const roles = useRoles(analyses, uid);
  const [turn, setTurn] = useState(0);
  const key = `${surveyId} ${imageId} ${uid ?? ''} ${turn}`;
  const [opened, setOpened] = useState<{ readonly key: string; readonly is: Opened }>({
    key,
    is: { status: 'opening' },
  });
  useEffect(() => {
    let isOver = false;
    const become = (current: Opened): void => {
      if (!isOver) setOpened({ key, is: current });
    };
    analyses
      .image(surveyId, imageId)
      .then(async (image) => become({ status: 'ready', image, work: await analyses.freeDraw(image) }))
      .catch((error: unknown) => become({ status: 'failed', error }));
    return () => {
      isOver = true;
    };
  }, [analyses, surveyId, imageId, key]);
  const isClosed = isClosedFor(roles);
  const isSignedOut = uid === null && roles !== null && !isClosed;
  useEffect(() => {
    // 2§2: "The overlay shows if the user is missing".
    if (isSignedOut) openSignIn();
  }, [isSignedOut]);

  const current: Opened = opened.key === key && roles !== null ? opened.is : { status: 'opening' };
  if (isClosed) {
    return (
      <main className={styles.opening}>
        <ClosedSeason signUp={links.signUp} />
        <p>{links.leave('Back to Analyse')}</p>
      </main>
    );
  }
  if (current.status === 'ready') {
    return (
      <Tracing
        key={key}
        repositories={repositories}
        image={current.image}
        work={current.work}
        version={mustRaiseVersion(version, current.work) ? 3 : version}
        isVersionRaised={mustRaiseVersion(version, current.work)}
        uid={uid}
        isExpert={roles?.isExpert ?? false}
        hasMoreActions={roles !== null && (roles.isVerified || roles.isAdmin)}
        links={links}
        onSignIn={openSignIn}
        onGo={onGo}
      />
    );
  }
  return (
    <main className={styles.opening}>
      {current.status === 'opening' ? (
        <p role="status">Opening the photograph.</p>
      ) : (
        <>
          <h1>The photograph cannot be opened</h1>
          <Note
            tone="look"
            icon="alert"
            title={
              current.error instanceof ReefError && current.error.code === 'not-found'
                ? 'It is not on this tablet'
                : 'It could not be read'
            }
            role="alert"
            action={<Button onPress={() => setTurn(turn + 1)}>Try again</Button>}
          >
            {current.error instanceof ReefError && current.error.code === 'not-found'
              ? 'With a link to the box or the shore it can be fetched.'
              : 'Nothing of your work is lost. Try again, or take another one.'}
          </Note>
          <p>{links.leave('Back to Analyse')}</p>
        </>
      )}
    </main>
  );
}
