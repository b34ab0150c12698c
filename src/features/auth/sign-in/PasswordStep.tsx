import { useState, type FormEvent } from 'react';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { EmailField } from '../EmailField';
import { FormError } from '../FormError';
import type { AuthFlow } from './use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

/** Email and password step, with a link to reset a forgotten password. */
export function PasswordStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  const [password, setPassword] = useState('');
  const wrong = (field: 'email' | 'password') => (state.problem?.field === field ? state.problem.text : undefined);
  const enter = (event: FormEvent): void => {
    event.preventDefault();
    flow.signInWithPassword(password);
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={enter} noValidate>
      <EmailField
        autoComplete="username"
        value={state.email}
        onChange={(email) => dispatch({ type: 'typed', email })}
        error={wrong('email')}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
        refused={wrong('password')}
      />
      <FormError problem={state.problem} shownByFields={['email', 'password']} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <>
          <div className={styles.main}>
            <Button type="submit" variant="primary">
              Sign in
            </Button>
            <Button onPress={() => dispatch({ type: 'form', form: 'email' })}>Email me a code instead</Button>
          </div>
          <div className={styles.more}>
            <Button variant="quiet" onPress={flow.sendPasswordReset}>
              Set a new password
            </Button>
          </div>
        </>
      )}
    </form>
  );
}
