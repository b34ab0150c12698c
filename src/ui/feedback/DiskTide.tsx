import { Meter } from 'react-aria-components';
import styles from './DiskTide.module.css';

interface Props {
  readonly label: string;
  /** Fraction 0..1. */
  readonly used: number;
  /** Dashed line, 0..1. */
  readonly warnAt: number;
  /** Value as text; default per cent. */
  readonly valueText?: string | undefined;
}

/** Tide pole for a disk, with quarter marks and a warning line. As tall as its container, at least 180 px. */
export function DiskTide({ label, used, warnAt, valueText }: Props) {
  const level = Math.min(1, Math.max(0, used));
  return (
    <Meter
      aria-label={label}
      value={Math.round(level * 100)}
      valueLabel={valueText ?? `${Math.round(level * 100)}% used`}
      className={`${styles.pole} ${level >= warnAt ? styles.full : ''}`}
    >
      <span className={styles.water} style={{ height: `${level * 100}%` }}>
        <svg viewBox="0 0 72 200" preserveAspectRatio="none" aria-hidden="true">
          <path className={styles.deep} d="M0 8c12-8 24 8 36 0s24-8 36 0V200H0Z" />
          <path className={styles.shoal} d="M0 22c12-8 24 8 36 0s24-8 36 0V200H0Z" />
        </svg>
      </span>
      {[25, 50, 75].map((mark) => (
        <span key={mark} className={styles.mark} style={{ bottom: `${mark}%` }} />
      ))}
      <span className={styles.warn} style={{ bottom: `${Math.min(1, Math.max(0, warnAt)) * 100}%` }} />
    </Meter>
  );
}
