import type { FormEvent } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { EmailField } from '../EmailField';
import { FormError } from '../FormError';
import { ProviderButtons } from './ProviderButtons';
import { SignInProgress } from './SignInProgress';
import type { AuthFlow } from './use-auth-flow';
import styles from '../auth.module.css';

interface Props {
  readonly flow: AuthFlow;
  /** True without a current user: anonymous sign-in is offered. */
  readonly withAnonymous: boolean;
  readonly account: Repositories['account'];
  /** True if a box answers. */
  readonly isAboard: boolean;
}

/** Email step: mails a code, or offers another way to sign in. */
export function EmailStep({ flow, withAnonymous, account, isAboard }: Props) {
  const { state, dispatch } = flow;
  const isBusy = state.loading !== null;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    flow.sendCode();
  };
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={send} noValidate>
      <EmailField
        value={state.email}
        onChange={(email) => dispatch({ type: 'typed', email })}
        error={state.problem?.field === 'email' ? state.problem.text : undefined}
        help="We email you a code. No password needed."
      />
      <FormError problem={state.problem} shownByFields={['email']} />
      {isBusy ? (
        <SignInProgress inWindow={state.loading === 'provider'} />
      ) : (
        <>
          <div className={styles.main}>
            <Button type="submit" variant="primary">
              Email me a code
            </Button>
            <Button onPress={() => dispatch({ type: 'form', form: 'password' })}>Use a password</Button>
          </div>
          <div className={styles.more}>
            <ProviderButtons account={account} flow={flow} isAboard={isAboard} />
            <Button variant="quiet" onPress={() => flow.sendLink()}>
              Email me a link instead
            </Button>
            <Button variant="quiet" onPress={() => dispatch({ type: 'form', form: 'create' })}>
              Create an account
            </Button>
            {withAnonymous && (
              <Button variant="quiet" onPress={flow.signInAnonymously}>
                Continue without an email address
              </Button>
            )}
          </div>
        </>
      )}
    </form>
  );
}
