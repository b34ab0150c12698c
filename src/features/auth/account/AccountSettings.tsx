import { useCallback, useEffect, useState } from 'react';
import type {
  AccountSettings as Settings,
  AccountState,
  Repositories,
  SecondFactorState,
} from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { NoWrap } from '../../../ui/display/NoWrap';
import { useObservable } from '../../shell';
import { addressText, providerRows } from './provider-rows';
import { AddressChange } from './AddressChange';
import { authProblem, type AuthProblem } from '../auth-text';
import { overlay } from '../overlay-state';
import { PasswordChange } from './PasswordChange';
import { SecondFactorSettings } from '../second-factor/SecondFactorSettings';
import { ProviderLinks } from './ProviderLinks';
import { TabletList } from './TabletList';
import { LoadingText } from '../LoadingText';
import styles from './AccountSettings.module.css';

interface Props {
  readonly account: Pick<Repositories['account'], 'settings' | 'signIn' | 'secondFactor' | 'admin'>;
}

type AccountLoad =
  | { readonly status: 'asking' }
  | { readonly status: 'failed'; readonly problem: AuthProblem }
  | {
      readonly status: 'read';
      readonly settings: Settings;
      readonly state: AccountState;
      readonly factor: SecondFactorState | null;
    };

/** Account settings: email address, password and linked sign-in providers. */
export default function AccountSettings({ account }: Props) {
  const { isShorePage, origin } = useObservable(account.signIn.facts);
  const [read, setRead] = useState<AccountLoad>({ status: 'asking' });
  const [open, setOpen] = useState<'address' | 'password' | null>(null);
  const refresh = useCallback(async (): Promise<void> => {
    try {
      const { settings, secondFactor } = account;
      const [state, factor] = await Promise.all([settings.read(), secondFactor.state()]);
      setRead({ status: 'read', settings, state, factor });
    } catch (error) {
      setRead({ status: 'failed', problem: authProblem(error, 'other') });
    }
  }, [account]);
  useEffect(() => void refresh(), [refresh]);

  if (read.status === 'asking') return <LoadingText />;
  if (read.status === 'failed') return <AccountUnavailable problem={read.problem} onRetry={() => void refresh()} />;
  const { settings, state, factor } = read;
  const isEditable = isShorePage || origin === null;
  if (state.anonymous) {
    return (
      <section className={styles.settings} aria-label="Account">
        <Note tone="plain" icon="person" title="No address yet">
          Only this tablet can sign in to your account. With an email address or another service, you can sign in
          anywhere. All your work stays yours.
        </Note>
        <div className={styles.main}>
          <Button variant="primary" onPress={() => overlay.replace({ show: 'sign-in', ashore: true })}>
            Add an email address
          </Button>
        </div>
      </section>
    );
  }
  return (
    <section className={styles.settings} aria-label="Account">
      {!isEditable && (
        <Note
          tone="plain"
          icon="shore"
          title="Change these on the shore’s own page"
          action={
            <a href={`${origin}/you`} target="_blank" rel="noopener">
              Open <NoWrap>{new URL(origin).host}</NoWrap>
            </a>
          }
        >
          Passwords and codes are entered there alone. This page comes from somewhere else, such as a box.
        </Note>
      )}
      <div className={styles.row}>
        <h3 className={styles.name}>Email</h3>
        <p className={styles.fact}>{addressText(state)}</p>
        <Button
          aria-label={state.email === '' ? 'Add an email address' : 'Change the email address'}
          aria-expanded={open === 'address'}
          isDisabled={!isEditable}
          onPress={() => setOpen(open === 'address' ? null : 'address')}
        >
          {state.email === '' ? 'Add' : 'Change'}
        </Button>
      </div>
      {open === 'address' && <AddressChange settings={settings} present={state.email} onDone={refresh} />}
      <div className={styles.row}>
        <h3 className={styles.name}>Password</h3>
        <p className={styles.fact}>{passwordText(state)}</p>
        <Button
          aria-label={state.hasPassword === false ? 'Set a password' : 'Change the password'}
          isDisabled={state.email === '' || !isEditable}
          aria-expanded={open === 'password'}
          onPress={() => setOpen(open === 'password' ? null : 'password')}
        >
          {state.hasPassword === false ? 'Set' : 'Change'}
        </Button>
      </div>
      {open === 'password' && <PasswordChange settings={settings} account={account} state={state} onDone={refresh} />}
      {isEditable && factor !== null && (
        <SecondFactorSettings account={account} email={state.email} state={factor} onChange={refresh} />
      )}
      <ProviderLinks
        settings={settings}
        email={state.email}
        rows={providerRows(state, navigator.userAgent)}
        onDone={refresh}
      />
      <TabletList settings={settings} email={state.email} />
    </section>
  );
}

function passwordText({ email, hasPassword }: AccountState): string {
  if (email === '') return 'Needs an email address first.';
  if (hasPassword === null) return 'An alternative to emailed codes.';
  return hasPassword ? 'Set' : 'None. You sign in with an emailed code each time.';
}

/** Shown if the account could not be loaded: signed out, or no connection. */
function AccountUnavailable({ problem, onRetry }: { readonly problem: AuthProblem; readonly onRetry: () => void }) {
  if (problem.isSignedOut === true) {
    return (
      <Note
        tone="look"
        icon="alert"
        title="You have been signed out"
        role="alert"
        action={<Button onPress={() => overlay.replace({ show: 'sign-in', ashore: true })}>Sign in again</Button>}
      >
        Everything on this tablet is safe and is still sent.
      </Note>
    );
  }
  return (
    <Note
      tone="look"
      icon="alert"
      title="Cannot reach the shore"
      role="alert"
      action={<Button onPress={onRetry}>Try again</Button>}
    >
      {problem.text} You need an internet connection to change your account.
    </Note>
  );
}
