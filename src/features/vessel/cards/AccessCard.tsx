import { useCallback, useEffect, useState } from 'react';
import type { EdgeSession, Repositories, SessionsReply } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { HoldButton } from '../../../ui/controls/HoldButton';
import { accessText } from '../vessel-text';
import styles from './cards.module.css';

interface Props {
  readonly access: Repositories['edge']['link']['access'];
  readonly isConnected: boolean;
  /** By the box's clock, ms since the epoch. */
  readonly boxNow: number;
  /** Called when the pairing code has changed. */
  readonly onNewCode: () => void;
}

/** Tablets with access to the box: one's own sign-ins, or all for an admin, with the buttons that end them. */
export function AccessCard({ access, isConnected, boxNow, onNewCode }: Props) {
  const [listed, setListed] = useState<SessionsReply | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const refresh = useCallback(async (): Promise<void> => setListed(await access.sessions()), [access]);
  const run = useCallback(
    async (task: () => Promise<void>): Promise<void> => {
      try {
        await task();
        setProblem(null);
        await refresh();
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    },
    [refresh],
  );
  useEffect(() => {
    if (isConnected) void run(() => Promise.resolve());
  }, [isConnected, run]);
  if (!isConnected || listed === null) return null;
  const end = (session: EdgeSession, unpair: boolean): void =>
    void run(async () => {
      await access.end(session.id, unpair);
      onNewCode();
    });
  return (
    <section className={`${styles.card} ${styles.list}`} aria-labelledby="access-title">
      <header className={styles.listHead}>
        <h2 id="access-title">Who has access</h2>
        {listed.all && (
          <Button onPress={() => void run(() => access.renewCode().then(onNewCode))}>Make a new pairing code</Button>
        )}
      </header>
      {problem !== null && (
        <p className={styles.empty} role="alert">
          {problem}
        </p>
      )}
      <ul>
        {listed.sessions.map((session) => {
          const text = accessText(session, boxNow);
          return (
            <li key={session.id} className={styles.survey} aria-label={text.title}>
              <span className={styles.grow}>
                <b>{text.title}</b>
                <span className={styles.quiet}>{text.detail}</span>
              </span>
              {session.ended === null && !session.current && (
                <span className={styles.withIcon}>
                  <Button onPress={() => end(session, false)}>End</Button>
                  {listed.all && (
                    <HoldButton holdLabel="Hold to unpair" variant="line" onHeld={() => end(session, true)}>
                      Unpair
                    </HoldButton>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <p className={`${styles.quiet} ${styles.empty}`}>
        A tablet without access still sends what it holds and sees nothing.{' '}
        {listed.all ? '' : 'The access of others is ended on the box’s console.'}
      </p>
    </section>
  );
}
