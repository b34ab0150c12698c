import { ProgressBar } from 'react-aria-components';
import styles from './TideGauge.module.css';

/** Part of the bar: `saved` solid, `now` stripes, `left-out` hatch, `look` coral; the rest is waiting. */
interface TidePart {
  readonly fill: 'saved' | 'now' | 'left-out' | 'look';
  readonly count: number;
}

interface Props {
  readonly label: string;
  readonly total: number;
  readonly parts: readonly TidePart[];
  /** Ten ticks below, like a tide pole. */
  readonly ticks?: boolean;
  /** For rows: 12 px instead of 20. */
  readonly thin?: boolean;
}

/** Progress bar for all long work. Its value is the count of the `saved` part. */
export function TideGauge({ label, total, parts, ticks = false, thin = false }: Props) {
  const saved = parts.find((part) => part.fill === 'saved')?.count ?? 0;
  return (
    <ProgressBar aria-label={label} value={saved} maxValue={Math.max(1, total)} valueLabel={`${saved} of ${total}`}>
      <div className={`${styles.tide} ${thin ? styles.thin : ''}`}>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ fill, count }) => (
            <span
              key={fill}
              className={`${styles.part} ${styles[fill]} ${count < total ? styles.ends : ''}`}
              style={{ width: `${total === 0 ? 0 : (100 * count) / total}%` }}
            />
          ))}
      </div>
      {ticks && <div className={styles.ticks} />}
    </ProgressBar>
  );
}
