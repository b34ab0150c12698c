import { useCallback, useEffect, useState } from 'react';
import type { AdminPerson, AdminRepository, OwnTablet } from '../../data/repositories';
import { tabletName, tabletText } from '../../domain/user/tablet-text';
import { Button } from '../../ui/controls/Button';
import { ConfirmDialog } from '../../ui/controls/ConfirmDialog';
import { Note } from '../../ui/feedback/Note';
import { adminErrorText, formatPerson } from './admin-text';
import styles from './admin.module.css';

interface Props {
  readonly admin: AdminRepository;
  readonly person: AdminPerson;
}

/** Tablets of a person, each with a button by which staff revoke it. */
export function PersonTablets({ admin, person }: Props) {
  const [tablets, setTablets] = useState<readonly OwnTablet[] | null>(null);
  const [asked, setAsked] = useState<OwnTablet | null>(null);
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = useCallback(
    async (task: () => Promise<void>): Promise<void> => {
      setWorking(true);
      try {
        await task();
        setTablets(await admin.tablets(person.uid));
        setProblem(null);
      } catch (error) {
        setProblem(adminErrorText(error));
      } finally {
        setWorking(false);
        setAsked(null);
      }
    },
    [admin, person.uid],
  );
  useEffect(() => void run(() => Promise.resolve()), [run]);
  return (
    <>
      <h3>Tablets</h3>
      {tablets?.length === 0 && <p className={styles.quiet}>None.</p>}
      {tablets?.map((tablet) => (
        <div key={tablet.id} className={styles.tablet}>
          <p>{tabletName(tablet)}</p>
          <p className={styles.quiet}>{tabletText(tablet, Date.now())}</p>
          {tablet.revokedAt === null && (
            <Button aria-label={`Revoke ${tabletName(tablet)}`} isDisabled={isWorking} onPress={() => setAsked(tablet)}>
              Revoke
            </Button>
          )}
        </div>
      ))}
      {problem !== null && (
        <Note tone="look" icon="alert" title="Nothing was changed" role="alert">
          {problem}
        </Note>
      )}
      {asked !== null && (
        <ConfirmDialog
          title={`Revoke ${tabletName(asked)} of ${formatPerson(person)}?`}
          confirmLabel="Revoke it"
          isDanger
          isWorking={isWorking}
          onConfirm={() => void run(() => admin.revokeTablet(asked.id))}
          onClose={() => setAsked(null)}
        >
          <p>
            It still sends what it holds, and reads nothing more from the shore. The sign-ins on it end. Boxes learn of
            it when they next reach the shore.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
