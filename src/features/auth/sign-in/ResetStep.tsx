import { useState, type FormEvent } from 'react';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { CodeField } from './CodeField';
import { FormError } from '../FormError';
import type { AuthFlow } from './use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

/** New password (1§4: "send, verify code, confirm"): the mailed code first, then the password. */
export function ResetStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const isChecked = state.form === 'new-password';
  const enter = (event: FormEvent): void => {
    event.preventDefault();
    if (isChecked) flow.resetPassword(code, password);
    else flow.checkResetCode(code);
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={enter} noValidate>
      {isChecked ? (
        <TextField
          key="password"
          label="New password"
          name="new-password"
          type="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
          refused={state.problem?.field === 'password' ? state.problem.text : undefined}
          help="At least 6 characters."
        />
      ) : (
        <CodeField sentTo={state.email} value={code} onChange={setCode} problem={state.problem} />
      )}
      <FormError problem={state.problem} shownByFields={[isChecked ? 'password' : 'code']} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button type="submit" variant="primary" isDisabled={isChecked ? password === '' : code.trim() === ''}>
            {isChecked ? 'Set the password and sign in' : 'Continue'}
          </Button>
          <Button onPress={() => dispatch({ type: 'form', form: 'password' })}>Back</Button>
        </div>
      )}
    </form>
  );
}
