import { useState, type FormEvent } from 'react';
import { canSignUp } from '../../../domain/user/rules';
import { Button } from '../../../ui/controls/Button';
import { Checkbox } from '../../../ui/controls/Checkbox';
import { TextField } from '../../../ui/controls/TextField';
import { EmailField } from '../EmailField';
import { NameFields } from '../NameFields';
import { FormError } from '../FormError';
import { OPT_IN_TEXT } from './sign-up-text';
import type { AuthFlow } from '../sign-in/use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

/** New account; without a password a code is mailed at each sign-in. */
export function CreateStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  const [name, setName] = useState({ first: '', last: '' });
  const [password, setPassword] = useState('');
  const [optin, setOptin] = useState(true);
  const wrong = (field: 'email' | 'password') => (state.problem?.field === field ? state.problem.text : undefined);
  const create = (event: FormEvent): void => {
    event.preventDefault();
    flow.createAccount({
      name: { first: name.first.trim(), last: name.last.trim() },
      optin,
      ...(password === '' ? {} : { password }),
    });
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={create} noValidate>
      <div className={styles.two}>
        <NameFields value={name} onChange={setName} autoFocus />
      </div>
      <EmailField value={state.email} onChange={(email) => dispatch({ type: 'typed', email })} error={wrong('email')} />
      <TextField
        label="Password (optional)"
        name="password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        refused={wrong('password')}
        help="At least 6 characters. Without one, we email you a code each time."
      />
      <Checkbox label={OPT_IN_TEXT} isOn={optin} onChange={setOptin} />
      <FormError problem={state.problem} shownByFields={['email', 'password']} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button
            type="submit"
            variant="primary"
            isDisabled={!canSignUp({ firstName: name.first, email: state.email })}
          >
            Create the account
          </Button>
          <Button onPress={() => dispatch({ type: 'form', form: 'email' })}>I already have an account</Button>
        </div>
      )}
    </form>
  );
}
