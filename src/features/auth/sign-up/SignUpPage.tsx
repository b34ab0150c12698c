import { useEffect, useState, type FormEvent } from 'react';
import type { Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { canSignUp } from '../../../domain/user/rules';
import { Button } from '../../../ui/controls/Button';
import { Checkbox } from '../../../ui/controls/Checkbox';
import { Note } from '../../../ui/feedback/Note';
import { notify } from '../../../ui/feedback/notices';
import { Ring } from '../../../ui/feedback/Ring';
import { TextField } from '../../../ui/controls/TextField';
import { PageHeader, useObservable } from '../../shell';
import { authProblem, type AuthProblem } from '../auth-text';
import { overlay } from '../overlay-state';
import { ShoreAddressField } from '../sign-in/ShoreAddressField';
import { OPT_IN_TEXT, SIGN_UP_HEADING } from './sign-up-text';
import { currentPath } from '../sign-in/use-auth-flow';
import styles from './SignUpPage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'account'>;
  /** Handle of the inviting event or organisation. */
  readonly handle: string | undefined;
  /** Called once the account exists and the person is signed in. */
  readonly onDone: () => void;
}

type State =
  | { readonly status: 'writing' | 'asking' }
  | { readonly status: 'exists' }
  | { readonly status: 'failed'; readonly problem: AuthProblem };

export function SignUpPage({ repositories: { account }, handle, onDone }: Props) {
  const { origin, account: signedIn } = useObservable(account.signIn.facts);
  const [first, setFirst] = useState('');
  const [last, setLast] = useState('');
  const [email, setEmail] = useState('');
  const [optin, setOptin] = useState(true);
  const [address, setAddress] = useState('');
  const [state, setState] = useState<State>({ status: 'writing' });
  const isAsking = state.status === 'asking';
  const problem = state.status === 'failed' ? state.problem : null;
  useEffect(() => {
    void account.signIn.discover();
  }, [account]);

  async function signUp(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isAsking || !canSignUp({ firstName: first, email })) return;
    setState({ status: 'asking' });
    try {
      if (address.trim() !== '') await account.signIn.pinCloud(address);
      await account.signIn.createAccount({
        email: email.trim(),
        name: { first: first.trim(), last: last.trim() },
        optin,
        ...(handle === undefined ? {} : { handle }),
      });
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

  async function mail(sent: 'code' | 'link'): Promise<void> {
    setState({ status: 'asking' });
    try {
      await (sent === 'code' ? account.signIn.sendCode(email) : account.signIn.sendLink(email, currentPath()));
      setState({ status: 'writing' });
      overlay.open({ show: 'sign-in', ashore: true, email: email.trim(), sent });
    } catch (error) {
      setState({ status: 'failed', problem: authProblem(error, 'mail') });
    }
  }

  return (
    <>
      <PageHeader
        title={SIGN_UP_HEADING}
        sub="Everyone who photographs or analyses reefs for the census has an account. You need a name and an email address, but no password."
      />
      <main className={styles.page}>
        {signedIn !== null && signedIn.email !== '' && (
          <Note
            tone="good"
            icon="person"
            title="You already have an account"
            action={<Button onPress={onDone}>Continue</Button>}
          >
            Signed in as {signedIn.email}.
          </Note>
        )}
        <form className={styles.card} onSubmit={(event) => void signUp(event)} noValidate aria-label="Sign up">
          <div className={styles.two}>
            <TextField
              label="First Name"
              name="first"
              autoComplete="given-name"
              value={first}
              onChange={setFirst}
              isRequired
            />
            <TextField label="Last Name" name="last" autoComplete="family-name" value={last} onChange={setLast} />
          </div>
          <TextField
            label="Email"
            name="email"
            type="email"
            autoComplete="email"
            inputMode="email"
            value={email}
            onChange={setEmail}
            isRequired
            error={problem?.field === 'email' ? problem.text : undefined}
          />
          {origin === null && <ShoreAddressField value={address} onChange={setAddress} problem={problem} />}
          <Checkbox label={OPT_IN_TEXT} isOn={optin} onChange={setOptin} />
          {state.status === 'exists' && (
            <Note tone="look" icon="alert" title={ANALYSIS_MESSAGES.signUpEmailInUse} role="alert">
              <p>Sign in with a code or a link emailed to {email.trim()}.</p>
              <div className={styles.inNote}>
                <Button onPress={() => void mail('code')}>Email me a code</Button>
                <Button onPress={() => void mail('link')}>Email me a link</Button>
              </div>
            </Note>
          )}
          {problem !== null && problem.field !== 'email' && problem.field !== 'address' && (
            <Note
              tone="look"
              icon="alert"
              title={problem.auth === undefined ? ANALYSIS_MESSAGES.signUpFailed : 'No account was created'}
              role="alert"
            >
              {problem.text}
            </Note>
          )}
          <div className={styles.main}>
            <Button type="submit" variant="primary" isDisabled={isAsking || !canSignUp({ firstName: first, email })}>
              {isAsking && <Ring label={ANALYSIS_MESSAGES.oneMoment} size={24} />}
              Continue
            </Button>
            <Button
              variant="quiet"
              onPress={() => overlay.open({ show: 'sign-in', ashore: true, email: email.trim() })}
            >
              I already have an account
            </Button>
          </div>
        </form>
      </main>
    </>
  );
}
