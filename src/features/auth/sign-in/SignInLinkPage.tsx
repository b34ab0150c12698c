import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES, REPORTING_MESSAGES } from '../../../domain/messages';
import { isEmail } from '../../../domain/user/rules';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { notify } from '../../../ui/feedback/notices';
import { EmailField } from '../EmailField';
import { PageHeader } from '../../shell';
import { authProblem, type AuthProblem } from '../auth-text';
import { handleOfPath, pathAfterLink } from '../sign-up/sign-up-address';
import { isOwnLink, parseMailedLink, parseProviderAnswer } from './mailed-link';
import { overlay } from '../overlay-state';
import { notifyOpener } from './popup';
import { FormError } from '../FormError';
import { LoadingText } from '../LoadingText';
import styles from '../sign-up/SignUpPage.module.css';

interface Props {
  readonly account: Repositories['account'];
  /** Text after `#` or `?` of the URL. */
  readonly text: string;
  /** Path for those who asked for the link on the sign-up screen. */
  readonly home: string;
  readonly onDone: (path: string) => void;
}

/** Landing page of mailed sign-in links, and of a provider popup that lost its opener. */
export function SignInLinkPage({ account, text, home, onDone }: Props) {
  const [providerAnswer] = useState(() => parseProviderAnswer(text));
  return (
    <>
      <PageHeader title="Sign in with the link" />
      <main className={styles.page}>
        {providerAnswer === null ? (
          <MailedLinkForm account={account} text={text} home={home} onDone={onDone} />
        ) : (
          <ProviderAnswer message={providerAnswer} />
        )}
      </main>
    </>
  );
}

type State =
  { readonly status: 'looking' | 'asking' | 'writing' } | { readonly status: 'failed'; readonly problem: AuthProblem };

/** Signs in with the URL's address if this tablet requested the link, else asks for it (3§4). */
function MailedLinkForm({ account, text, home, onDone }: Props) {
  const [link] = useState(() => parseMailedLink(text));
  const [email, setEmail] = useState('');
  const [state, setState] = useState<State>({ status: 'looking' });
  const began = useRef(false);
  const problem = state.status === 'failed' ? state.problem : null;

  async function enter(address: string): Promise<void> {
    setState({ status: 'asking' });
    try {
      await account.signIn.discover();
      const handle = handleOfPath(link.path);
      if (handle !== undefined) await account.signIn.acceptInvitation(handle);
      await account.signIn.signInWithLink(address, link.token);
      notify({ title: ANALYSIS_MESSAGES.signedIn, icon: 'check' });
      onDone(pathAfterLink(link.path, home));
    } catch (error) {
      setState({ status: 'failed', problem: authProblem(error, 'other') });
    }
  }

  // The token is single use: spent once, however often the page renders.
  useEffect(() => {
    if (began.current || link.token === '') return;
    began.current = true;
    account.signIn.pendingLinkEmail().then(
      (asked) => (asked !== null && isOwnLink(link, asked) ? enter(asked) : setState({ status: 'writing' })),
      () => setState({ status: 'writing' }),
    );
  });

  if (link.token === '') {
    return (
      <Note
        tone="look"
        icon="alert"
        title="This link is incomplete"
        action={<Button onPress={() => overlay.open({ show: 'sign-in' })}>Sign in another way</Button>}
      >
        Open the link in the newest email again, or request a code.
      </Note>
    );
  }
  if (state.status === 'looking' || state.status === 'asking') return <LoadingText />;
  return (
    <form
      className={styles.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (isEmail(email.trim())) void enter(email);
        else setState({ status: 'failed', problem: { field: 'email', text: ANALYSIS_MESSAGES.profileEmailInvalid } });
      }}
      noValidate
    >
      <p>{REPORTING_MESSAGES.emailForConfirmation}</p>
      <EmailField
        value={email}
        onChange={setEmail}
        error={problem?.field === 'email' ? problem.text : undefined}
        help="The email address that received the link."
      />
      <FormError problem={problem} shownByFields={['email']} />
      <div className={styles.main}>
        <Button type="submit" variant="primary">
          Sign in
        </Button>
        <Button onPress={() => overlay.open({ show: 'sign-in', ashore: true, email })}>Email me a code instead</Button>
      </div>
    </form>
  );
}

/** Longest wait for an answer, ms. */
const REPLY_TIMEOUT_MS = 3000;

/** Passes a provider's answer to the opener, which finishes the sign-in. */
function ProviderAnswer({ message }: { readonly message: object }) {
  const [reply, setHeard] = useState<'waiting' | 'yes' | 'no'>('waiting');
  useEffect(() => {
    // Single-use secrets must not stay in the history.
    window.history.replaceState(window.history.state, '', window.location.pathname);
    const timeout = setTimeout(() => setHeard('no'), REPLY_TIMEOUT_MS);
    const stop = notifyOpener(message, () => {
      clearTimeout(timeout);
      setHeard('yes');
      window.close();
    });
    return () => {
      clearTimeout(timeout);
      stop();
    };
  }, [message]);
  if (reply === 'waiting') return <LoadingText />;
  if (reply === 'yes') {
    return (
      <Note tone="good" icon="check" title="Done" role="status">
        Go back to the census. You can close this window.
      </Note>
    );
  }
  return (
    <Note
      tone="look"
      icon="alert"
      title="The window that started this sign-in is closed"
      role="status"
      action={<Button onPress={() => overlay.open({ show: 'sign-in' })}>Sign in</Button>}
    >
      You were not signed in. Sign in here again, or use an emailed code.
    </Note>
  );
}
