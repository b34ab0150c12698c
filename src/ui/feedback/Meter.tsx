import { Label, Meter as AriaMeter } from 'react-aria-components';
import styles from './Meter.module.css';

interface Props {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** Value as text: `1.2 GB of 6 GB`. */
  readonly valueText: string;
  /** `look`: it is running out. */
  readonly tone?: 'plain' | 'look';
}

/** Static amount; running work uses TideGauge. */
export function Meter({ label, value, max, valueText, tone = 'plain' }: Props) {
  const whole = Math.max(max, Number.MIN_VALUE);
  const fraction = Math.min(1, Math.max(0, value / whole));
  return (
    <AriaMeter
      value={fraction * 100}
      valueLabel={valueText}
      className={`${styles.meter} ${tone === 'look' ? styles.look : ''}`}
    >
      <span className={styles.head}>
        <Label className={styles.label ?? ''}>{label}</Label>
        <span className={styles.words}>{valueText}</span>
      </span>
      <span className={styles.bar}>
        {fraction > 0 && <span className={styles.fill} style={{ width: `${fraction * 100}%` }} />}
      </span>
    </AriaMeter>
  );
}
