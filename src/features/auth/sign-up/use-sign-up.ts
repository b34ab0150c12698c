import { useState } from 'react';
import type { Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { notify } from '../../../ui/feedback/notices';
import { authProblem, type AuthProblem } from '../auth-text';
import { overlay } from '../overlay-state';
import { currentPath } from '../sign-in/use-auth-flow';

type SignUpState =
  | { readonly status: 'writing' | 'asking' }
  | { readonly status: 'exists' }
  | { readonly status: 'failed'; readonly problem: AuthProblem };

type Account = Repositories['account'];

/** Creates the account, or emails a sign-in to an address that has one. */
export function useSignUp(account: Account, onDone: () => void) {
  const [state, setState] = useState<SignUpState>({ status: 'writing' });

  async function signUp(
    person: Parameters<Account['signIn']['createAccount']>[0],
    /** Address of the shore; empty if it is known. */
    address: string,
  ): Promise<void> {
    setState({ status: 'asking' });
    try {
      if (address.trim() !== '') await account.signIn.pinCloud(address);
      await account.signIn.createAccount(person);
      notify({ title: ANALYSIS_MESSAGES.signUpSucceeded, icon: 'check' });
      setState({ status: 'writing' });
      onDone();
    } catch (error) {
      const found = authProblem(error, 'create');
      setState(
        found.auth === 'auth/email-already-in-use' ? { status: 'exists' } : { status: 'failed', problem: found },
      );
    }
  }

  async function mail(sent: 'code' | 'link', email: string): Promise<void> {
    setState({ status: 'asking' });
    try {
      await (sent === 'code' ? account.signIn.sendCode(email) : account.signIn.sendLink(email, currentPath()));
      setState({ status: 'writing' });
      overlay.open({ show: 'sign-in', ashore: true, email: email.trim(), sent });
    } catch (error) {
      setState({ status: 'failed', problem: authProblem(error, 'mail') });
    }
  }

  return { state, signUp, mail };
}
