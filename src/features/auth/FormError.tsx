import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import type { AuthProblem } from './auth-text';
import { overlay } from './overlay-state';

interface Props {
  readonly problem: AuthProblem | null;
  readonly shownByFields?: readonly AuthProblem['field'][];
  /** Present address of the account, to sign in again with. */
  readonly email?: string;
}

/** Error message, unless its field shows it. */
export function FormError({ problem, shownByFields = [], email = '' }: Props) {
  if (problem === null || shownByFields.includes(problem.field)) return null;
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
