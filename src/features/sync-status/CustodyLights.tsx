import { Lamp, type LampState } from '../../ui/feedback/Lamp';
import styles from './CustodyLights.module.css';
import type { Lights } from './status-text';

const STATE_LABELS: Record<LampState, string> = { off: 'not there', going: 'on its way', on: 'safe there' };

interface Props {
  readonly lights: Lights;
  /** Counts next to the lights, for a row of many. */
  readonly counts?: { readonly tablet: number; readonly box: number; readonly shore: number };
}

/** Tablet, Box, Shore, always in this order; the shape is the place, the fill the progress. */
export function CustodyLights({ lights, counts }: Props) {
  return (
    <span className={styles.lights}>
      <Light where="Tablet" shape="upright" state={lights.tablet} n={counts?.tablet} />
      <Light where="Box" shape="hull" state={lights.box} n={counts?.box} />
      <Light where="Shore" shape="hill" state={lights.shore} n={counts?.shore} />
    </span>
  );
}

function Light({
  where,
  shape,
  state,
  n,
}: {
  readonly where: string;
  readonly shape: 'upright' | 'hull' | 'hill';
  readonly state: LampState;
  readonly n: number | undefined;
}) {
  return (
    <span className={styles.light}>
      <Lamp
        shape={shape}
        state={state}
        name={n === undefined ? `${where}: ${STATE_LABELS[state]}` : `${where}: ${n}`}
      />
      {n !== undefined && (
        <span className={styles.n} aria-hidden="true">
          {n.toLocaleString('en')}
        </span>
      )}
      <span className={n === undefined ? styles.where : styles.below} aria-hidden="true">
        {where}
      </span>
    </span>
  );
}
