import { useEffect, useState, type FormEvent } from 'react';
import type { Repositories, ShoreFacts } from '../../data/repositories';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import { Note } from '../../ui/Note';
import { TextField } from '../../ui/TextField';
import { useLive } from '../shell';
import { shoreProblem, shoreWords, type ShoreProblem } from './shore-words';
import styles from './ShoreCard.module.css';

type Step = 'email' | 'code';

interface Props {
  readonly account: Repositories['account'];
  readonly email: string;
}

/** Signing in ashore with a mailed code; what this tablet may do there. */
export function ShoreCard({ account, email }: Props) {
  const facts = useLive(account.facts);
  useEffect(() => {
    void account.discover();
  }, [account]);
  const words = shoreWords(facts);
  return (
    <section className={styles.card} id="shore" aria-labelledby="shore-title" tabIndex={-1}>
      <h2 id="shore-title">
        <Icon name="shore" />
        {facts.account === null ? 'Sign in ashore' : 'Signed in ashore'}
      </h2>
      <p role="status">{words}</p>
      {facts.link === 'refused' && (
        <Note tone="look" icon="alert" title="The shore does not take this tablet any more">
          Sign in again. All that is here stays here, and a box still takes it.
        </Note>
      )}
      {facts.account === null || facts.link === 'refused' ? <SignIn account={account} facts={facts} email={email} /> : <SignedIn account={account} facts={facts} />}
    </section>
  );
}

function SignedIn({ account, facts }: { readonly account: Props['account']; readonly facts: ShoreFacts }) {
  return (
    <>
      <dl className={styles.facts}>
        <dt>As</dt>
        <dd>{facts.account?.email}</dd>
        <dt>Shore</dt>
        <dd>{facts.origin === null ? '' : new URL(facts.origin).host}</dd>
      </dl>
      <Button onPress={() => void account.signOut()}>Sign out</Button>
      <p className={styles.quiet}>What is unsent stays on this tablet and still goes ashore afterwards.</p>
    </>
  );
}

function SignIn({ account, facts, email: known }: Props & { readonly facts: ShoreFacts }) {
  const [step, setStep] = useState<Step>('email');
  const [email, setEmail] = useState(known);
  const [address, setAddress] = useState('');
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ShoreProblem | null>(null);
  const wrong = (field: ShoreProblem['field']): string | undefined => (problem?.field === field ? problem.words : undefined);

  async function go(work: () => Promise<unknown>, next: Step): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      setStep(next);
    } catch (error) {
      setProblem(shoreProblem(error, next === 'code' ? 'mail' : 'code'));
    } finally {
      setBusy(false);
    }
  }

  function send(event: FormEvent): void {
    event.preventDefault();
    void go(async () => {
      if (facts.origin === null || address.trim() !== '') await account.find(address);
      await account.sendCode(email);
    }, 'code');
  }

  function enter(event: FormEvent): void {
    event.preventDefault();
    void go(async () => {
      await account.signIn(email, code);
      setCode('');
    }, 'email');
  }

  if (step === 'code') {
    return (
      <form className={styles.form} onSubmit={enter} noValidate>
        <p role="status">A code was mailed to {email}. It may take a minute.</p>
        <TextField label="Code from the mail" name="code" code autoComplete="one-time-code" inputMode="numeric" autoFocus value={code} onChange={setCode} error={wrong('code')} />
        {wrong('other') !== undefined && <Note tone="look" icon="alert" title="Not signed in" role="alert">{wrong('other')}</Note>}
        <div className={styles.buttons}>
          <Button type="submit" look="primary" isDisabled={busy || code.trim() === ''}>
            {busy ? 'Signing in' : 'Sign in'}
          </Button>
          <Button onPress={() => setStep('email')}>Another address or a new code</Button>
        </div>
      </form>
    );
  }
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      {facts.origin === null && <TextField label="Address of the shore" name="shore" inputMode="url" value={address} onChange={setAddress} error={wrong('address')} help="A box that knows it tells this tablet by itself." />}
      <TextField label="Email" name="shore-email" type="email" autoComplete="email" inputMode="email" value={email} onChange={setEmail} error={wrong('email')} help="A code is mailed there. No password is needed." />
      {wrong('other') !== undefined && <Note tone="look" icon="alert" title="Not signed in" role="alert">{wrong('other')}</Note>}
      <Button type="submit" look="primary" isDisabled={busy}>
        {busy ? 'Asking the shore' : 'Mail me a code'}
      </Button>
    </form>
  );
}
