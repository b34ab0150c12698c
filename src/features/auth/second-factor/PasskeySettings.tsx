import { useState, type FormEvent } from 'react';
import type { FactorOverview, Repositories } from '../../../data/repositories';
import { formatDay } from '../../../domain/survey/day';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { FormError } from '../FormError';
import { LoadingText } from '../LoadingText';
import { useTask } from '../use-task';
import styles from '../account/AccountSettings.module.css';

interface Props {
  readonly secondFactor: Repositories['account']['secondFactor'];
  /** Address for a new sign-in, which adding may need. */
  readonly email: string;
  readonly passkeys: FactorOverview['passkeys'];
  /** @param codes recovery codes, shown this once */
  readonly onChange: (codes: readonly string[]) => Promise<void>;
}

/** Passkeys of the account, to add and to remove. */
export function PasskeySettings({ secondFactor, email, passkeys, onChange }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [name, setName] = useState('');
  const { task, problem, run } = useTask();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    void run('other', async () => {
      const [options, { makePasskey }] = await Promise.all([secondFactor.beginPasskey(), import('./browser-passkeys')]);
      const codes = await secondFactor.addPasskey(name.trim(), await makePasskey(options));
      setAdding(false);
      setName('');
      await onChange(codes);
      return undefined;
    });
  };
  const remove = (id: string): void =>
    void run('other', async () => {
      await secondFactor.removePasskey(id);
      await onChange([]);
      return undefined;
    });
  return (
    <>
      {passkeys.map((passkey) => (
        <div key={passkey.id} className={styles.row}>
          <h4 className={styles.name}>{passkey.name}</h4>
          <p className={styles.fact}>Passkey, added {formatDay(passkey.addedAt)}</p>
          <Button
            aria-label={`Remove the passkey ${passkey.name}`}
            isDisabled={task.status === 'working'}
            onPress={() => remove(passkey.id)}
          >
            Remove
          </Button>
        </div>
      ))}
      <div className={styles.main}>
        <Button aria-expanded={isAdding} onPress={() => setAdding(!isAdding)}>
          Add a passkey
        </Button>
      </div>
      {isAdding && (
        <form className={styles.form} onSubmit={add} noValidate aria-label="Add a passkey">
          <p>This device, a phone or a security key asks for your finger, face, PIN or touch.</p>
          <TextField
            label="Name of the passkey"
            name="passkey-name"
            autoComplete="off"
            maxLength={80}
            autoFocus
            value={name}
            onChange={setName}
            help="To tell it from others, such as “My phone”."
          />
          {task.status === 'working' ? (
            <LoadingText />
          ) : (
            <div className={styles.main}>
              <Button type="submit" variant="primary" isDisabled={name.trim() === ''}>
                Add it
              </Button>
            </div>
          )}
        </form>
      )}
      <FormError problem={problem} email={email} />
    </>
  );
}
