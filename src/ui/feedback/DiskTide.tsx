import { Meter } from 'react-aria-components';
import styles from './DiskTide.module.css';

interface Props {
  /** What is filling, for screen readers. */
  readonly label: string;
  /** Of the whole, 0..1. */
  readonly used: number;
  /** Where the dashed line lies, 0..1. */
  readonly warnAt: number;
  /** The value in words; per cent unless told. */
  readonly valueText?: string | undefined;
}

/** A tide pole for a disk: how high it stands, marks at the quarters, and the line of the warning. As tall as its place, at least 180 px. */
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
