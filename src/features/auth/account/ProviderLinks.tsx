import { Fragment, useState } from 'react';
import type { AccountSettings, Provider } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import type { ProviderRow } from './provider-rows';
import { closePopup, popupTicket } from '../sign-in/popup';
import { FormSuccess, FormError } from '../FormError';
import { useTask } from '../use-task';
import { LoadingText } from '../LoadingText';
import styles from './AccountSettings.module.css';

interface Props {
  readonly settings: AccountSettings;
  /** Address of the account; empty without one. */
  readonly email: string;
  readonly rows: readonly ProviderRow[];
  readonly onDone: () => Promise<void>;
}

const STATUS_TEXT = {
  link: 'Not linked',
  unlink: 'Linked: you can sign in with it',
  'only-way': 'Linked. This is your only way to sign in: add an email address or another service first.',
} as const;

/** Sign-in providers of the account, to link and unlink (1§4); the last way to sign in cannot be removed. */
export function ProviderLinks({ settings, email, rows, onDone }: Props) {
  const { task, problem, run } = useTask();
  const [current, setAt] = useState<{ readonly id: Provider['id']; readonly isLinking: boolean } | null>(null);
  const isWorking = task.status === 'working';
  const link = ({ id, name }: Provider): void => {
    setAt({ id, isLinking: true });
    void run('other', async () => {
      // Opened directly by the press: browsers block later popups.
      await settings.finishLinkingProvider(
        id,
        await popupTicket(() => settings.startLinkingProvider(id, window.location.origin)),
      );
      await onDone();
      return `You can now sign in with ${name}.`;
    });
  };
  const unlink = ({ id, name }: Provider): void => {
    setAt({ id, isLinking: false });
    void run('other', async () => {
      await settings.unlinkProvider(id);
      await onDone();
      return `${name} is no longer linked.`;
    });
  };
  return rows.map(({ provider, action }) => (
    <Fragment key={provider.id}>
      <div className={styles.row}>
        <h3 className={styles.name}>{provider.name}</h3>
        <p className={action === 'only-way' ? `${styles.fact} ${styles.wide}` : styles.fact}>{STATUS_TEXT[action]}</p>
        {action === 'link' && (
          <Button isDisabled={isWorking} aria-label={`Link ${provider.name}`} onPress={() => link(provider)}>
            Link
          </Button>
        )}
        {action === 'unlink' && (
          <Button isDisabled={isWorking} aria-label={`Unlink ${provider.name}`} onPress={() => unlink(provider)}>
            Unlink
          </Button>
        )}
      </div>
      {current?.id === provider.id && (
        <>
          {isWorking && (
            <div className={styles.main}>
              <LoadingText text={current.isLinking ? 'Continue in the window that opened' : undefined} />
              {current.isLinking && <Button onPress={closePopup}>Cancel</Button>}
            </div>
          )}
          {task.status === 'done' && <FormSuccess text={task.text} />}
          <FormError problem={problem} email={email} />
        </>
      )}
    </Fragment>
  ));
}
