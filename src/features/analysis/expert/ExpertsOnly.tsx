import { Link } from '@tanstack/react-router';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { openSignIn } from '../../auth';
import styles from './expert.module.css';

/** Shown to non-experts (2§6). */
export function ExpertsOnly({ isSignedIn }: { readonly isSignedIn: boolean }) {
  return (
    <main className={styles.alone}>
      {isSignedIn ? (
        <Note icon="lock" title="This page is for the experts of the census" role="status">
          Whoever is at the tablet is none of them, as far as the shore has said. If you should be one, ask the people
          who run the census: they make you an expert, and from your next sign-in on it stands open. Tracing is open to
          everybody.
        </Note>
      ) : (
        <Note
          tone="wait"
          icon="person"
          title="Nobody is at the tablet"
          role="status"
          action={<Button onPress={openSignIn}>Sign in</Button>}
        >
          An analysis is saved under a name. Sign in, and what is for experts stands open to them.
        </Note>
      )}
      <p>
        <Link to="/analysis">Back to Analyse</Link>
      </p>
    </main>
  );
}
