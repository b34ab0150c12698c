import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { problemEnd, type AuthProblem } from './auth-text';
import styles from './auth.module.css';
import { overlay } from './overlay-state';

interface Props {
  readonly problem: AuthProblem | null;
  readonly shownByFields?: readonly AuthProblem['field'][];
  /** Present address of the account, to sign in again with. */
  readonly email?: string;
}

/** Error message, unless its field shows it, until its cause is gone. */
export function FormError({ problem, shownByFields = [], email = '' }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [gone, setGone] = useState<AuthProblem | null>(null);
  useEffect(() => {
    if (problem === null) return undefined;
    const ended = (): void => setGone(problem);
    const listening = new AbortController();
    const kind = problemEnd(problem);
    if (kind === 'connection') window.addEventListener('online', ended, { signal: listening.signal });
    if (kind === 'entry')
      place.current?.closest('form')?.addEventListener('input', ended, { signal: listening.signal });
    return () => listening.abort();
  }, [problem]);
  if (problem === null || problem === gone || shownByFields.includes(problem.field)) return null;
  return (
    <div ref={place} className={styles.error}>
      <ProblemNote problem={problem} email={email} />
    </div>
  );
}

function ProblemNote({ problem, email }: { readonly problem: AuthProblem; readonly email: string }) {
  if (problem.needsRecentSignIn === true) {
    return (
      <Note
        tone="wait"
        icon="person"
        title="Sign in again first"
        role="alert"
        action={
          <Button onPress={() => overlay.replace({ show: 'sign-in', ashore: true, email, part: 'account' })}>
            Sign in again
          </Button>
        }
      >
        {problem.text}
      </Note>
    );
  }
  return (
    <Note
      tone="look"
      icon="alert"
      title="That did not work"
      role="alert"
      action={
        problem.isSignedOut === true && (
          <Button onPress={() => overlay.replace({ show: 'sign-in', ashore: true })}>Sign in again</Button>
        )
      }
    >
      {problem.text}
    </Note>
  );
}

export function FormSuccess({ text }: { readonly text: string }) {
  return (
    <Note tone="good" icon="check" title="Done" role="status">
      {text}
    </Note>
  );
}
