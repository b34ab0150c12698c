import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Repositories } from '../../data/repositories';
import { ANALYSIS_MESSAGES, REPORTING_MESSAGES } from '../../domain/messages';
import { isEmail } from '../../domain/user/rules';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { notify } from '../../ui/notices';
import { TextField } from '../../ui/TextField';
import { PageHead } from '../shell';
import { authProblem, type AuthProblem } from './auth-words';
import type { MailedLink } from './link-address';
import { overlay } from './overlay-state';
import { Problem } from './Problem';
import { Waiting } from './Waiting';
import styles from './SignUpPage.module.css';

interface Props {
  readonly account: Repositories['account'];
  readonly link: MailedLink;
  readonly onDone: (path: string) => void;
}

/** Where a mailed link leads: it signs in, with the address from the URL or one that is asked for (3§4). */
export function SignInLinkPage({ account, link, onDone }: Props) {
  const [email, setEmail] = useState(link.email);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<AuthProblem | null>(null);
  const began = useRef(false);

  async function enter(address: string): Promise<void> {
    setAsking(true);
    setProblem(null);
    try {
      await account.discover();
      await account.signInWithLink(address, link.token);
      notify({ title: ANALYSIS_MESSAGES.signedIn, icon: 'check' });
      onDone(link.path);
    } catch (error) {
      setProblem(authProblem(error, 'other'));
      setAsking(false);
    }
  }

  // The token is good once: it is spent once, however often the page is drawn.
  useEffect(() => {
    if (began.current || link.token === '' || !isEmail(link.email)) return;
    began.current = true;
    void enter(link.email);
  });

  return (
    <>
      <PageHead title="Sign in with the link" />
      <main className={styles.page}>
        {link.token === '' ? (
          <Note tone="look" icon="alert" title="This link is not whole" action={<Button onPress={() => overlay.open({ show: 'sign-in' })}>Sign in another way</Button>}>
            Open the link of the newest mail once more, or have a code mailed.
          </Note>
        ) : isAsking ? (
          <Waiting />
        ) : (
          <form
            className={styles.card}
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              if (isEmail(email)) void enter(email);
              else setProblem({ field: 'email', words: ANALYSIS_MESSAGES.profileEmailInvalid });
            }}
            noValidate
          >
            <p>{REPORTING_MESSAGES.emailForConfirmation}</p>
            <TextField label="Email" name="email" type="email" autoComplete="email" inputMode="email" value={email} onChange={setEmail} error={problem?.field === 'email' ? problem.words : undefined} />
            <Problem of={problem} beside={['email']} />
            <div className={styles.main}>
              <Button type="submit" look="primary">
                Sign in
              </Button>
              <Button onPress={() => overlay.open({ show: 'sign-in', ashore: true, email })}>Have a code mailed instead</Button>
            </div>
          </form>
        )}
      </main>
    </>
  );
}
