import { ProgressBar } from 'react-aria-components';
import styles from './Ring.module.css';

interface Props {
  readonly label: string;
  /** 0..1; omit if unknown: it spins. */
  readonly fraction?: number | undefined;
  /** Px; default 40. */
  readonly size?: number;
}

const ROUND = 2 * Math.PI * 17;

export function Ring({ label, fraction, size = 40 }: Props) {
  const shown = fraction === undefined ? 0.25 : Math.min(1, Math.max(0, fraction));
  return (
    <ProgressBar aria-label={label} {...(fraction === undefined ? { isIndeterminate: true } : { value: 100 * shown })}>
      <svg
        className={`${styles.ring} ${fraction === undefined ? styles.turning : ''}`}
        style={{ width: size, height: size }}
        viewBox="0 0 40 40"
        aria-hidden="true"
      >
        <circle className={styles.ground} cx="20" cy="20" r="17" />
        <circle className={styles.arc} cx="20" cy="20" r="17" strokeDasharray={`${shown * ROUND} ${ROUND}`} />
      </svg>
    </ProgressBar>
  );
}
