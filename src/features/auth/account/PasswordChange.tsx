import { useState, type FormEvent } from 'react';
import type { AccountSettings, AccountState, Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { overlay } from '../overlay-state';
import { FormSuccess, FormError } from '../FormError';
import { useTask } from '../use-task';
import { LoadingText } from '../LoadingText';
import styles from './AccountSettings.module.css';

interface Props {
  readonly settings: AccountSettings;
  readonly account: Pick<Repositories['account'], 'signIn'>;
  readonly state: AccountState;
  readonly onDone: () => Promise<void>;
}

/** Changes the password with the current one, or by a mailed code if forgotten. The first password needs neither. */
export function PasswordChange({ settings, account, state: { email, hasPassword }, onDone }: Props) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { task, problem, run } = useTask();
  const wrong = (field: 'current' | 'password') => (problem?.field === field ? problem.text : undefined);
  const change = (event: FormEvent): void => {
    event.preventDefault();
    void run('password', async () => {
      await settings.changePassword(password, current);
      await onDone();
      return 'Your password was changed. Other tablets are signed out; the work on them is still sent.';
    });
  };
  const mailCode = (): void =>
    void run('mail', async () => {
      await account.signIn.sendPasswordReset(email);
      overlay.replace({ show: 'sign-in', ashore: true, email, sent: 'reset' });
      return undefined;
    });
  if (task.status === 'done') return <FormSuccess text={task.text} />;
  return (
    <form className={styles.form} onSubmit={change} noValidate aria-label="Change the password">
      {hasPassword !== false && (
        <TextField
          label={hasPassword === null ? 'Current password, if you have one' : 'Current password'}
          name="current-password"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={current}
          onChange={setCurrent}
          refused={wrong('current')}
        />
      )}
      <TextField
        label="New password"
        name="new-password"
        type="password"
        autoComplete="new-password"
        autoFocus={hasPassword === false}
        value={password}
        onChange={setPassword}
        refused={wrong('password')}
        help="At least 6 characters."
      />
      <FormError problem={problem} shownByFields={['current', 'password']} email={email} />
      {task.status === 'working' ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button type="submit" variant="primary" isDisabled={password === ''}>
            {hasPassword === false ? 'Set the password' : 'Change the password'}
          </Button>
          {hasPassword !== false && (
            <Button variant="quiet" onPress={mailCode}>
              Forgot it? Email me a code
            </Button>
          )}
        </div>
      )}
    </form>
  );
}
