import { useEffect, useState, type FormEvent } from 'react';
import type { CodesSetup as Setup, Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { QrCode } from '../../../ui/display/QrCode';
import { FormError } from '../FormError';
import { LoadingText } from '../LoadingText';
import { useTask } from '../use-task';
import styles from '../account/AccountSettings.module.css';

interface Props {
  readonly secondFactor: Repositories['account']['secondFactor'];
  readonly email: string;
  /** @param codes recovery codes, shown this once */
  readonly onDone: (codes: readonly string[]) => Promise<void>;
}

/** Sets up one-time codes: the secret for an authenticator app, and a first code from it. */
export function CodesSetup({ secondFactor, email, onDone }: Props) {
  const [setup, setSetup] = useState<Setup | null>(null);
  const [code, setCode] = useState('');
  const { task, problem, run } = useTask();
  useEffect(() => {
    void run('other', async () => {
      setSetup(await secondFactor.beginCodes());
      return undefined;
    });
    // Each call makes another secret.
  }, [secondFactor, run]);
  const confirm = (event: FormEvent): void => {
    event.preventDefault();
    void run('other', async () => {
      await onDone(await secondFactor.confirmCodes(code));
      return undefined;
    });
  };
  return (
    <form className={styles.form} onSubmit={confirm} noValidate aria-label="Set up one-time codes">
      {setup !== null && (
        <>
          <p>Scan this with an authenticator app, or type the key there.</p>
          <QrCode text={setup.uri} label="Code to scan with the authenticator app" size={216} />
          <p className={styles.key}>{(setup.secret.match(/.{1,4}/g) ?? []).join(' ')}</p>
          <TextField
            label="Code from the app"
            name="second-factor-code"
            code
            autoComplete="one-time-code"
            inputMode="numeric"
            value={code}
            onChange={setCode}
            refused={problem?.field === 'code' ? problem.text : undefined}
            help="The six digits that the app shows now."
          />
        </>
      )}
      <FormError problem={problem} shownByFields={setup === null ? [] : ['code']} email={email} />
      {task.status === 'working' ? (
        <LoadingText />
      ) : (
        setup !== null && (
          <div className={styles.main}>
            <Button type="submit" variant="primary" isDisabled={code.trim() === ''}>
              Confirm the code
            </Button>
          </div>
        )
      )}
    </form>
  );
}
