import { Button } from '../../../ui/controls/Button';
import { FormError } from '../FormError';
import type { AuthFlow } from './use-auth-flow';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';

/** Link step (3§4): the link signs in automatically in the browser that requested it. */
export function LinkStep({ flow }: { readonly flow: AuthFlow }) {
  const { state, dispatch } = flow;
  return (
    <div className={`${styles.form} ${styles.step}`}>
      <p role="status">{`You've got mail! We have sent an email with a link to ${state.email}`}</p>
      <p className={styles.quiet}>
        Open it on this tablet to sign in. On another tablet, it asks for your email address first. The link works once,
        within an hour.
      </p>
      <FormError problem={state.problem} />
      {state.loading !== null ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button onPress={() => flow.sendCode()}>Email me a code instead</Button>
          <Button variant="quiet" onPress={() => dispatch({ type: 'form', form: 'email' })}>
            Try another address or a new link
          </Button>
        </div>
      )}
    </div>
  );
}
