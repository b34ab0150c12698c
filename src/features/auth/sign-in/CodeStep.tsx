import { useState, type FormEvent } from 'react';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { FormError } from '../FormError';
import type { AuthFlow } from './use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

export function CodeStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  const [code, setCode] = useState('');
  const enter = (event: FormEvent): void => {
    event.preventDefault();
    flow.verifyCode(code);
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={enter} noValidate>
      <p role="status">{ANALYSIS_MESSAGES.codeSent(state.email)}</p>
      <TextField
        label="Verification code"
        name="code"
        code
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        value={code}
        onChange={(typed) => setCode(digitsOf(typed))}
        error={state.problem?.field === 'code' ? state.problem.text : undefined}
      />
      <FormError problem={state.problem} shownByFields={['code']} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button type="submit" variant="primary" isDisabled={code.trim() === ''}>
            Login
          </Button>
          <Button onPress={() => dispatch({ type: 'form', form: 'email' })}>Try another address or a new code</Button>
        </div>
      )}
    </form>
  );
}

/** "One-time code is numeric" (2§5); mails show it in groups. */
export function digitsOf(typed: string): string {
  return typed.replace(/[^\d ]/g, '');
}
