import { useEffect, useState, type FormEvent } from 'react';
import type { Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { canSignUp } from '../../../domain/user/rules';
import { Button } from '../../../ui/controls/Button';
import { Checkbox } from '../../../ui/controls/Checkbox';
import { Note } from '../../../ui/feedback/Note';
import { Ring } from '../../../ui/feedback/Ring';
import { TextField } from '../../../ui/controls/TextField';
import { EmailField } from '../EmailField';
import { PageHeader, useObservable } from '../../shell';
import { overlay } from '../overlay-state';
import { ShoreAddressField } from '../sign-in/ShoreAddressField';
import { parseHandle } from './sign-up-address';
import { OPT_IN_TEXT, SIGN_UP_HEADING } from './sign-up-text';
import styles from './SignUpPage.module.css';
import { useSignUp } from './use-sign-up';

interface Props {
  readonly repositories: Pick<Repositories, 'account'>;
  /** Handle of the inviting event or organisation, as the address has it. */
  readonly invitation: unknown;
  /** Called once the account exists and the person is signed in. */
  readonly onDone: () => void;
}

export function SignUpPage({ repositories: { account }, invitation, onDone }: Props) {
  const handle = parseHandle(invitation);
  const { origin, suggestion, account: signedIn } = useObservable(account.signIn.facts);
  const [first, setFirst] = useState('');
  const [last, setLast] = useState('');
  const [email, setEmail] = useState('');
  const [optin, setOptin] = useState(true);
  const [typedAddress, setAddress] = useState<string | null>(null);
  const [isAddressAsked, setAddressAsked] = useState(false);
  const address = typedAddress ?? (origin === null ? (suggestion?.origin ?? '') : '');
  const { state, signUp, mail } = useSignUp(account, onDone);
  const isAsking = state.status === 'asking';
  const problem = state.status === 'failed' ? state.problem : null;
  useEffect(() => {
    void account.signIn.discover();
  }, [account]);
  // Every way to sign in from here, now or ashore later, counts for the event or organisation.
  useEffect(() => {
    if (handle !== undefined) void account.signIn.acceptInvitation(handle);
  }, [account, handle]);

  const canSubmit = !isAsking && canSignUp({ firstName: first, email });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!canSubmit) return;
    void signUp(
      {
        email: email.trim(),
        name: { first: first.trim(), last: last.trim() },
        optin,
        ...(handle === undefined ? {} : { handle }),
      },
      address,
    );
  };

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
        <form className={styles.card} onSubmit={submit} noValidate aria-label="Sign up">
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
          <EmailField
            value={email}
            onChange={setEmail}
            isRequired
            error={problem?.field === 'email' ? problem.text : undefined}
          />
          {origin === null && (
            <ShoreAddressField
              value={address}
              onChange={setAddress}
              problem={problem}
              suggestion={suggestion}
              isAsked={isAddressAsked}
              onAsk={() => setAddressAsked(true)}
            />
          )}
          <Checkbox label={OPT_IN_TEXT} isOn={optin} onChange={setOptin} />
          {state.status === 'exists' && (
            <Note tone="look" icon="alert" title={ANALYSIS_MESSAGES.signUpEmailInUse} role="alert">
              <p>Sign in with a code or a link emailed to {email.trim()}.</p>
              <div className={styles.inNote}>
                <Button onPress={() => void mail('code', email)}>Email me a code</Button>
                <Button onPress={() => void mail('link', email)}>Email me a link</Button>
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
            <Button type="submit" variant="primary" isDisabled={!canSubmit}>
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
