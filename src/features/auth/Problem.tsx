import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import type { AuthProblem } from './auth-words';
import { overlay } from './overlay-state';

interface Props {
  readonly of: AuthProblem | null;
  /** Fields that say it themselves. */
  readonly beside?: readonly AuthProblem['field'][];
}

/** What went wrong, where no field says it. */
export function Problem({ of, beside = [] }: Props) {
  if (of === null || beside.includes(of.field)) return null;
  return (
    <Note
      tone="look"
      icon="alert"
      title="That did not work"
      role="alert"
      action={
        of.isSignedOut === true && (
          <Button onPress={() => overlay.turnTo({ show: 'sign-in', ashore: true })}>Sign in again</Button>
        )
      }
    >
      {of.words}
    </Note>
  );
}

/** It is done, in words. */
export function Done({ words }: { readonly words: string }) {
  return (
    <Note tone="good" icon="check" title="Done" role="status">
      {words}
    </Note>
  );
}
