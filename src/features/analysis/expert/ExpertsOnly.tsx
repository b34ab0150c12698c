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
        <Note icon="lock" title="This page is for census experts" role="status">
          This account has no expert access yet. If you should have it, ask the census staff to make you an expert. This
          page opens the next time you sign in. Tracing is open to everyone.
        </Note>
      ) : (
        <Note
          tone="wait"
          icon="person"
          title="No one is using this tablet"
          role="status"
          action={<Button onPress={openSignIn}>Sign in</Button>}
        >
          An analysis is saved under your name. Sign in to open the expert pages.
        </Note>
      )}
      <p>
        <Link to="/analysis">Back to Analyse</Link>
      </p>
    </main>
  );
}
