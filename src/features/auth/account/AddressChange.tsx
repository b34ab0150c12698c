import { useState, type FormEvent } from 'react';
import type { AccountSettings } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { isEmail } from '../../../domain/user/rules';
import { Button } from '../../../ui/controls/Button';
import { EmailField } from '../EmailField';
import { CodeField } from '../sign-in/CodeField';
import { FormSuccess, FormError } from '../FormError';
import { useTask } from '../use-task';
import { LoadingText } from '../LoadingText';
import styles from './AccountSettings.module.css';

interface Props {
  readonly settings: AccountSettings;
  /** Present address; empty without one. */
  readonly present: string;
  /** Called once the account has the new address, to reload its settings. */
  readonly onDone: () => Promise<void>;
}

/** Changes the address, which a mailed code confirms. Until then the account keeps the old one. */
export function AddressChange({ settings, present, onDone }: Props) {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const [code, setCode] = useState('');
  const { task, problem, run, fail } = useTask();
  const send = (): void => {
    if (!isEmail(email.trim())) return fail({ field: 'email', text: ANALYSIS_MESSAGES.profileEmailInvalid });
    void run('mail', async () => {
      await settings.sendEmailChangeCode(email.trim());
      setSent(true);
      return undefined;
    });
  };
  const enter = (): void =>
    void run('code', async () => {
      await settings.changeEmail(email.trim(), code);
      await onDone();
      return `Your email address is now ${email.trim()}.`;
    });
  if (task.status === 'done') return <FormSuccess text={task.text} />;
  return (
    <form
      className={styles.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (isSent) enter();
        else send();
      }}
      noValidate
      aria-label="Change the email address"
    >
      {isSent ? (
        <CodeField sentTo={email.trim()} value={code} onChange={setCode} problem={problem} />
      ) : (
        <EmailField
          label="New email address"
          name="new-email"
          autoFocus
          value={email}
          onChange={setEmail}
          error={problem?.field === 'email' ? problem.text : undefined}
          help="We email a code to this address. Your old address stays until you enter it."
        />
      )}
      <FormError problem={problem} shownByFields={isSent ? ['code'] : ['email']} email={present} />
      {task.status === 'working' ? (
        <LoadingText />
      ) : (
        <div className={styles.main}>
          <Button type="submit" variant="primary" isDisabled={isSent && code.trim() === ''}>
            {isSent ? 'Confirm the email address' : 'Email me a code'}
          </Button>
          {isSent && <Button onPress={() => setSent(false)}>Try another address or a new code</Button>}
        </div>
      )}
    </form>
  );
}
