import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { openSignIn } from '../auth';
import { PageHeader } from '../shell';
import { ConnectionFacts } from '../sync-status';
import styles from './AnalysePage.module.css';
import { OwnPhotographs } from './lists/OwnPhotographs';
import { ClosedSeason } from './access/ClosedSeason';
import { isClosedFor } from './access/season';
import { useAnalyst } from './access/use-analyst';
import { readMode } from './learning/course-storage';
import { StartPanel } from './StartPanel';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
  /** Opens a photograph that was found. */
  readonly onStart: ComponentProps<typeof StartPanel>['onStart'];
}

/** Start page of analysis. */
export function AnalysePage({ repositories, onStart }: Props) {
  const { analyses, uid, roles } = useAnalyst(repositories);
  const isExpert = roles?.isExpert ?? false;
  const isClosed = isClosedFor(roles);
  const isTrained = readMode(uid) !== null;
  return (
    <>
      <PageHeader
        title="Analyse"
        sub="Say what lives on a reef photograph, outline by outline or by hand."
        facts={<ConnectionFacts edge={repositories.edge} />}
      />
      <main className={styles.page}>
        {isClosed ? (
          <ClosedSeason />
        ) : uid === null ? (
          <SignInPrompt />
        ) : (
          <StartPanel analyses={analyses} isExpert={isExpert} onStart={onStart} />
        )}
        {!isClosed && uid !== null && <OwnPhotographs repositories={repositories} isExpert={isExpert} />}
        <section className={styles.own}>
          <h2>{isTrained ? 'Practise' : 'New to this?'}</h2>
          <p>
            {isTrained
              ? 'You completed the training. Repeat it whenever you like.'
              : 'Learn to paint on practice pictures whose true cover is known. It takes about ten minutes. Nothing is saved or sent.'}
          </p>
          <ul className={styles.others}>
            <li>
              <Link to="/analysis/training">
                Training
                <Icon name="next" />
              </Link>
            </li>
          </ul>
        </section>
        {uid !== null && (
          <section className={styles.own}>
            <h2>Photographs you have analysed</h2>
            <ul className={styles.others}>
              <li>
                <Link to="/dashboard">
                  Your analyses
                  <Icon name="next" />
                </Link>
              </li>
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
        An analysis is saved under your name. Sign in or enter your name; at sea, no connection is needed.
      </p>
      <p>
        <Button variant="primary" onPress={openSignIn}>
          Sign in
        </Button>
      </p>
      <p>
        New to the census? <Link to="/signup">Sign up</Link>
      </p>
    </section>
  );
}
