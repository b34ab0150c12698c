import { useEffect, useState } from 'react';
import type { Person, Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import { overlay } from '../overlay-state';
import { PeopleTiles } from '../sign-in/PeopleTiles';
import { SignOut } from './SignOut';
import styles from './YouPage.module.css';

type SignInStatus =
  | { readonly status: 'idle' }
  | { readonly status: 'asking' }
  | { readonly status: 'done' }
  | { readonly status: 'failed'; readonly text: string };

/** Card of the current user: confirmation status, sign-in aboard, switch user. */
export function PersonCard({
  person,
  repositories,
}: {
  readonly person: Person;
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'custody'>;
}) {
  const { edge } = repositories;
  const link = useObservable(edge.link.state);
  const [signing, setSigning] = useState<SignInStatus>({ status: 'idle' });
  const signIn = async (): Promise<void> => {
    setSigning({ status: 'asking' });
    try {
      await edge.link.signIn({ name: person.name, email: person.email });
      setSigning({ status: 'done' });
    } catch (error) {
      setSigning({ status: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const connected = link.status === 'connected';
  // Pairing signs in automatically; the button is for when it could not.
  const [isAboard, setAboard] = useState<boolean | null>(null);
  useEffect(() => {
    let gone = false;
    edge.link.isSignedIn().then(
      (known) => {
        if (!gone) setAboard(known);
      },
      (error: unknown) => console.warn('The sign-in aboard could not be read.', error),
    );
    return () => {
      gone = true;
    };
  }, [edge, connected, person.uid]);
  return (
    <section className={styles.card} id="person" aria-labelledby="person-title" tabIndex={-1}>
      <h2 id="person-title">Your name aboard</h2>
      <dl className={styles.facts}>
        <dt>Email</dt>
        <dd>{person.email === '' ? 'None yet' : person.email}</dd>
        <dt>Confirmed</dt>
        <dd>{confirmedText(person)}</dd>
        <dt>Box</dt>
        <dd>{connected ? `${link.edge.name}, in reach` : link.status === 'unpaired' ? 'None yet' : 'Out of reach'}</dd>
      </dl>
      <Button icon="person" onPress={() => overlay.open({ show: 'profile' })}>
        Your profile
      </Button>
      {connected && person.pending && isAboard === false && signing.status !== 'done' && (
        <>
          <p>Sign in aboard so that your surveys on every tablet belong to you.</p>
          <Button variant="primary" isDisabled={signing.status === 'asking'} onPress={() => void signIn()}>
            {signing.status === 'asking' ? 'Signing in' : 'Sign in aboard'}
          </Button>
        </>
      )}
      {signing.status === 'done' && <p role="status">You are signed in aboard. New surveys carry this name.</p>}
      {signing.status === 'failed' && (
        <p role="alert">
          The box did not sign you in: {signing.text} Your name is saved here, and you can keep working.
        </p>
      )}
      <h3>Switch user</h3>
      <p>Everything you added stays on this tablet and is still sent after you switch.</p>
      <PeopleTiles repositories={repositories} title="Hand over to" />
      <SignOut repositories={repositories} />
    </section>
  );
}

function confirmedText({ pending, email }: Person): string {
  if (pending) return 'Later, ashore. Everything works until then.';
  return email === '' ? 'Once you add an email address' : 'Yes';
}
