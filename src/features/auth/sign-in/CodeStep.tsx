import { useState, type FormEvent } from 'react';
import { Button } from '../../../ui/controls/Button';
import { CodeField } from './CodeField';
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
      <CodeField sentTo={state.email} value={code} onChange={setCode} problem={state.problem} />
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
