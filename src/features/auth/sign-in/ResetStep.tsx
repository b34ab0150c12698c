import { useState, type FormEvent } from 'react';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { CodeField } from './CodeField';
import { FormError } from '../FormError';
import type { AuthFlow } from './use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

export function ResetStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const enter = (event: FormEvent): void => {
    event.preventDefault();
    flow.resetPassword(code, password);
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={enter} noValidate>
      <CodeField sentTo={state.email} value={code} onChange={setCode} problem={state.problem} />
      <TextField
        label="New password"
        name="new-password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={state.problem?.field === 'password' ? state.problem.text : undefined}
        help="At least 6 characters."
      />
      <FormError problem={state.problem} shownByFields={['code', 'password']} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button type="submit" variant="primary" isDisabled={code.trim() === '' || password === ''}>
            Set the password and sign in
          </Button>
          <Button onPress={() => dispatch({ type: 'form', form: 'password' })}>Back</Button>
        </div>
      )}
    </form>
  );
}
