import { useState } from 'react';
import type { Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Note } from '../../../ui/feedback/Note';
import { notify } from '../../../ui/feedback/notices';
import { useObservable } from '../../shell';
import { signOut } from '../sign-in/enter-person';
import { unsentText } from './unsent-text';

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'custody'>;
  readonly onDone?: () => void;
}

type State = { readonly status: 'idle' | 'asking' | 'leaving' } | { readonly status: 'failed' };

/** Signs out of cloud and box. Warns about unsent work, which stays here and is still sent. */
export function SignOut({ repositories, onDone }: Props) {
  const { owed } = useObservable(repositories.custody.sending.facts);
  const [state, setState] = useState<State>({ status: 'idle' });
  const unsent = unsentText(owed);
  const { account } = useObservable(repositories.account.signIn.facts);
  const person = useObservable(repositories.account.people.current);
  // A name alone was never signed in: two sign-ins are offered beside it.
  const isNameOnly = account === null && person?.pending === true;

  async function leave(): Promise<void> {
    setState({ status: 'leaving' });
    try {
      await signOut(repositories);
      notify({ title: ANALYSIS_MESSAGES.signedOut, icon: 'check' });
      setState({ status: 'idle' });
      onDone?.();
    } catch (_failed) {
      setState({ status: 'failed' });
    }
  }

  return (
    <>
      <Button
        isDisabled={state.status === 'leaving'}
        onPress={() => (unsent === null ? void leave() : setState({ status: 'asking' }))}
      >
        {state.status === 'leaving' ? ANALYSIS_MESSAGES.signingOut : isNameOnly ? 'Enter another name' : 'Sign out'}
      </Button>
      {state.status === 'failed' && (
        <Note tone="look" icon="alert" title="Still signed in" role="alert">
          {ANALYSIS_MESSAGES.signOutFailed}
        </Note>
      )}
      <Dialog
        title={isNameOnly ? 'Change the name with unsent work?' : 'Sign out with unsent work?'}
        isOpen={state.status === 'asking'}
        onClose={() => setState({ status: 'idle' })}
        role="alertdialog"
        actions={
          <>
            <Button onPress={() => setState({ status: 'idle' })}>{isNameOnly ? 'Cancel' : 'Stay signed in'}</Button>
            <Button variant="primary" onPress={() => void leave()}>
              {isNameOnly ? 'Enter another name' : 'Sign out anyway'}
            </Button>
          </>
        }
      >
        <p>
          {unsent} All of it stays on this tablet and is sent automatically{isNameOnly ? '.' : ' after you sign out.'}
        </p>
      </Dialog>
    </>
  );
}
