import type { EdgeSender } from '../../../data/repositories';
import styles from './cards.module.css';
import { isSending, senderText } from '../vessel-text';

interface Props {
  readonly senders: readonly EdgeSender[];
  /** Ms since the epoch by the box's clock. */
  readonly boxNow: number;
  readonly isKnown: boolean;
  readonly asOf: string | null;
}

export function SendersCard({ senders, boxNow, isKnown, asOf }: Props) {
  const most = Math.max(1, ...senders.map(({ owed }) => owed?.photographs ?? 0));
  return (
    <section className={`${styles.card} ${styles.list}`} aria-label="Who is sending">
      <header className={styles.listHead}>
        <h2>Who is sending</h2>
        <span className={styles.chart}>{asOf === null ? 'To send' : `as of ${asOf}`}</span>
      </header>
      {senders.length === 0 && (
        <p className={`${styles.quiet} ${styles.empty}`}>
          {isKnown
            ? 'No tablet has sent to this box yet. Pair one, and it appears here.'
            : 'Shown once the box is in reach.'}
        </p>
      )}
      {senders.length > 0 && (
        <ol>
          {senders.map((sender, i) => {
            const text = senderText(sender, boxNow);
            const remaining = sender.owed?.photographs ?? 0;
            return (
              <li key={sender.deviceId} className={styles.sender}>
                <span className={styles.number} data-away={!sender.connected} aria-hidden="true">
                  {i + 1}
                </span>
                <span className={styles.grow}>
                  <b>{text.title}</b>
                  <span className={styles.quiet}>{text.detail}</span>
                </span>
                <span className={styles.flow}>
                  {isSending(sender) && (
                    <span className={styles.bar} aria-hidden="true">
                      <i style={{ width: `${(100 * remaining) / most}%` }} />
                    </span>
                  )}
                  <span className={styles.quiet}>{text.rate}</span>
                </span>
                <b className={styles.still}>
                  <span className={styles.hidden}>to send: </span>
                  {text.remaining}
                </b>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
