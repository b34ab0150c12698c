import { useCallback, useEffect, useState } from 'react';
import type { AccountSettings, OwnTablet } from '../../../data/repositories';
import { tabletName, tabletText } from '../../../domain/user/tablet-text';
import { Button } from '../../../ui/controls/Button';
import { ConfirmDialog } from '../../../ui/controls/ConfirmDialog';
import { FormError } from '../FormError';
import { useTask } from '../use-task';
import styles from './AccountSettings.module.css';

interface Props {
  readonly settings: AccountSettings;
  /** Address for a new sign-in. */
  readonly email: string;
}

/** Section of the account: tablets on which its owner signed in, each with a button that revokes it. */
export function TabletList({ settings, email }: Props) {
  const [tablets, setTablets] = useState<readonly OwnTablet[]>([]);
  const [asked, setAsked] = useState<OwnTablet | null>(null);
  const { task, problem, run } = useTask();
  const refresh = useCallback(async (): Promise<undefined> => {
    setTablets(await settings.tablets());
    return undefined;
  }, [settings]);
  useEffect(() => void run('other', refresh), [refresh, run]);
  const revoke = ({ id }: OwnTablet): void =>
    void run('other', async () => {
      try {
        await settings.revokeTablet(id);
      } finally {
        setAsked(null);
      }
      return refresh();
    });
  const isWorking = task.status === 'working';
  return (
    <section aria-label="Your tablets" className={styles.section}>
      <div className={styles.row}>
        <h3 className={styles.name}>Your tablets</h3>
        <p className={`${styles.fact} ${styles.wide}`}>Where you signed in. Revoke one that is lost or given away.</p>
      </div>
      {tablets.map((tablet) => {
        const canRevoke = tablet.revokedAt === null && !tablet.current;
        return (
          <div key={tablet.id} className={styles.row}>
            <h4 className={styles.name}>{tabletName(tablet)}</h4>
            <p className={`${styles.fact} ${canRevoke ? '' : styles.wide}`}>{tabletText(tablet, Date.now())}</p>
            {canRevoke && (
              <Button
                aria-label={`Revoke ${tabletName(tablet)}`}
                isDisabled={isWorking}
                onPress={() => setAsked(tablet)}
              >
                Revoke
              </Button>
            )}
          </div>
        );
      })}
      <FormError problem={problem} email={email} />
      {asked !== null && (
        <ConfirmDialog
          title={`Revoke ${tabletName(asked)}?`}
          confirmLabel="Revoke it"
          isDanger
          isWorking={isWorking}
          onConfirm={() => revoke(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            It still sends what it holds, and reads nothing more from the shore. Your sign-in on it ends. Boxes learn of
            it when they next reach the shore.
          </p>
          <p>What is already on it stays on it. What it sends in your name is on hold until you sign in on it again.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
