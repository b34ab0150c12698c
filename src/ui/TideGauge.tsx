import { ProgressBar } from 'react-aria-components';
import styles from './TideGauge.module.css';

/** One part of the bar: `saved` solid, `now` stripes, `left-out` hatch, `look` coral; the rest waits. */
export interface TidePart {
  readonly fill: 'saved' | 'now' | 'left-out' | 'look';
  readonly count: number;
}

interface Props {
  readonly label: string;
  readonly total: number;
  readonly parts: readonly TidePart[];
  /** Ten ticks below, like a tide pole. */
  readonly ticks?: boolean;
}

/** The one bar for all long work. Its value is the count of the `saved` part. */
export function TideGauge({ label, total, parts, ticks = false }: Props) {
  const saved = parts.find((part) => part.fill === 'saved')?.count ?? 0;
  let start = 0;
  return (
    <ProgressBar aria-label={label} value={saved} maxValue={Math.max(1, total)} valueLabel={`${saved} of ${total}`}>
      <svg className={styles.tide} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <defs>
          <pattern id="tide-now" width="1" height="10" patternUnits="userSpaceOnUse">
            <rect width="0.45" height="10" className={styles.stripe} />
          </pattern>
          <pattern id="tide-left-out" width="1.2" height="10" patternUnits="userSpaceOnUse">
            <rect width="1.2" height="10" className={styles.sand} />
            <rect width="0.5" height="10" className={styles.ink} />
          </pattern>
        </defs>
        {parts.map((part) => {
          const width = total === 0 ? 0 : (100 * part.count) / total;
          const x = start;
          start += width;
          return <rect key={part.fill} x={x} width={width} height="10" className={styles[part.fill]} />;
        })}
      </svg>
      {ticks && <div className={styles.ticks} />}
    </ProgressBar>
  );
}
