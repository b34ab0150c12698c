import { Fragment, useState } from 'react';
import type { AccountSettings, Provider } from '../../data/repositories';
import { Button } from '../../ui/Button';
import type { ProviderRow } from './account-ways';
import { giveUpPopup, popupTicket } from './popup';
import { Done, Problem } from './Problem';
import { useTask } from './use-task';
import { Waiting } from './Waiting';
import styles from './AccountSettings.module.css';

interface Props {
  readonly settings: AccountSettings;
  readonly rows: readonly ProviderRow[];
  readonly onDone: () => Promise<void>;
}

const WORDS = {
  link: 'Not linked',
  unlink: 'Linked: it signs you in',
  'only-way': 'Linked. It is the only way into this account: add an address or another service first.',
} as const;

/** The other services of the account, to link and to unlink (1§4); the last way in stays. */
export function ProviderLinks({ settings, rows, onDone }: Props) {
  const { task, problem, run } = useTask();
  const [at, setAt] = useState<{ readonly id: Provider['id']; readonly isLinking: boolean } | null>(null);
  const isWorking = task.status === 'working';
  const link = ({ id, name }: Provider): void => {
    setAt({ id, isLinking: true });
    void run('other', async () => {
      // The window is opened by the press itself; a browser opens none later.
      await settings.finishLinkingProvider(id, await popupTicket(() => settings.startLinkingProvider(id, window.location.origin)));
      await onDone();
      return `${name} signs you in from now on.`;
    });
  };
  const unlink = ({ id, name }: Provider): void => {
    setAt({ id, isLinking: false });
    void run('other', async () => {
      await settings.unlinkProvider(id);
      await onDone();
      return `${name} is not linked any more.`;
    });
  };
  return rows.map(({ provider, may }) => (
    <Fragment key={provider.id}>
      <div className={styles.row}>
        <h3 className={styles.name}>{provider.name}</h3>
        <p className={may === 'only-way' ? `${styles.fact} ${styles.wide}` : styles.fact}>{WORDS[may]}</p>
        {may === 'link' && (
          <Button isDisabled={isWorking} aria-label={`Link ${provider.name}`} onPress={() => link(provider)}>
            Link
          </Button>
        )}
        {may === 'unlink' && (
          <Button isDisabled={isWorking} aria-label={`Unlink ${provider.name}`} onPress={() => unlink(provider)}>
            Unlink
          </Button>
        )}
      </div>
      {at?.id === provider.id && (
        <>
          {isWorking && (
            <div className={styles.main}>
              <Waiting words={at.isLinking ? 'Go on in the window that opened' : undefined} />
              {at.isLinking && <Button onPress={giveUpPopup}>Stop waiting</Button>}
            </div>
          )}
          {task.status === 'done' && <Done words={task.words} />}
          <Problem of={problem} />
        </>
      )}
    </Fragment>
  ));
}
