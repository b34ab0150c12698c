import { useId } from 'react';
import styles from './Lamp.module.css';

/** Place: an upright slab, a hull or a hill. */
type LampShape = 'upright' | 'hull' | 'hill';
/** `off` dashed outline, `going` half full, `on` full with a tick. */
export type LampState = 'off' | 'going' | 'on';

const OUTLINES: Record<LampShape, string> = {
  upright: 'M9 4h14v24H9z',
  hull: 'M3 9h26l-5 16H8z',
  hill: 'M16 4l14 23H2z',
};
const TICKS: Record<LampShape, string> = { upright: 'M11 17l4 4 7-9', hull: 'M11 17l4 4 7-9', hill: 'M11 20l4 4 6-8' };

interface Props {
  readonly shape: LampShape;
  readonly state: LampState;
  /** Accessible name; omit next to the text. */
  readonly name?: string;
  readonly size?: 'row' | 'head';
}

/** Shape shows the place, fill the progress: never colour alone. */
export function Lamp({ shape, state, name, size = 'row' }: Props) {
  const clip = useId();
  const outline = OUTLINES[shape];
  return (
    <svg
      className={`${styles.lamp} ${styles[state]} ${styles[size]}`}
      viewBox="0 0 32 32"
      role={name === undefined ? undefined : 'img'}
      aria-label={name}
      aria-hidden={name === undefined ? true : undefined}
    >
      <path className={styles.ground} d={outline} />
      {state === 'going' && (
        <>
          <clipPath id={clip}>
            <rect x="0" y="16" width="32" height="16" />
          </clipPath>
          <path className={styles.half} clipPath={`url(#${clip})`} d={outline} />
        </>
      )}
      <path className={styles.line} d={outline} />
      {state === 'on' && <path className={styles.tick} d={TICKS[shape]} />}
    </svg>
  );
}
