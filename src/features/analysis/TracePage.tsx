import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import type { AnalysisRepository, FreeDrawWork, Repositories, TraceImage } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { openSignIn } from '../auth';
import { useTitle } from '../shell';
import { ClosedSeason } from './access/ClosedSeason';
import { isClosedFor } from './access/season';
import { OpenFailedNote } from './work/OpenFailedNote';
import { Tracing } from './trace/Tracing';
import styles from './TracePage.module.css';
import { useAnalyst } from './access/use-analyst';
import { useOpenedImage } from './work/use-opened-image';
import { useWorkTab } from './work/use-work-tab';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account' | 'usage'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  readonly version?: 1 | 3;
  /** Links of the dialog of further actions. */
  readonly moreLinks?: ReactNode;
  readonly onGo: (image: TraceImage) => void;
}

/** True if version 1 was requested but the work holds areas: an extension of version 3 that version 1 would lose. */
const mustRaiseVersion = (version: 1 | 3, { marks, undone }: FreeDrawWork): boolean =>
  version === 1 && [...marks, ...undone].some(({ kind }) => kind === 'polygon');

const readFreeDraw = (analyses: AnalysisRepository, image: TraceImage): Promise<FreeDrawWork> =>
  analyses.freeDraw(image);

/** Screen `analysis` (2§2): one photograph, traced. */
export function TracePage({ repositories, surveyId, imageId, version = 3, moreLinks, onGo }: Props) {
  useTitle('Trace the reef');
  const { analyses, uid, roles } = useAnalyst(repositories);
  const { key, opened, retry } = useOpenedImage(analyses, { surveyId, imageId, uid }, readFreeDraw);
  const tab = useWorkTab(analyses, 'free-draw', imageId, retry);
  const isClosed = isClosedFor(roles);
  const isSignedOut = uid === null && roles !== null && !isClosed;
  useEffect(() => {
    // 2§2: "The overlay shows if the user is missing".
    if (isSignedOut) openSignIn();
  }, [isSignedOut]);

  if (isClosed) {
    return (
      <main className={styles.opening}>
        <ClosedSeason />
        <p>
          <Link to="/analysis">Back to Analyse</Link>
        </p>
      </main>
    );
  }
  if (opened.status === 'ready' && roles !== null) {
    const isVersionRaised = mustRaiseVersion(version, opened.stored);
    return (
      <Tracing
        key={key}
        repositories={repositories}
        usage={repositories.usage}
        image={opened.image}
        work={opened.stored}
        version={isVersionRaised ? 3 : version}
        isVersionRaised={isVersionRaised}
        uid={uid}
        tab={tab}
        isExpert={roles.isExpert}
        hasMoreActions={roles.isVerified || roles.isAdmin}
        moreLinks={moreLinks}
        onSignIn={openSignIn}
        onGo={onGo}
      />
    );
  }
  return (
    <main className={styles.opening}>
      {opened.status === 'failed' && roles !== null ? (
        <>
          <h1>The photograph cannot be opened</h1>
          <OpenFailedNote error={opened.error} title="This photograph could not be read" onRetry={retry} />
        </>
      ) : (
        <p role="status">Opening the photograph.</p>
      )}
    </main>
  );
}
