import { Lamp, type LampState } from '../../ui/feedback/Lamp';
import styles from './Stations.module.css';

interface Props {
  readonly label: string;
  readonly total: number;
  readonly tablet: number;
  readonly box: number;
  readonly shore: number;
  readonly moving: boolean;
  /** Destination; the box by default. */
  readonly to?: 'box' | 'shore';
}

/** Main fact: number of photographs on the tablet, on the box, ashore. */
export function Stations({ label, total, tablet, box, shore, moving, to = 'box' }: Props) {
  const ashoreWords =
    shore === 0
      ? 'waiting for a connection'
      : shore < total
        ? 'confirmed; the rest is waiting'
        : 'confirmed, with receipt';
  return (
    <section className={styles.sea} aria-label={label}>
      <svg className={styles.isobaths} viewBox="0 0 700 200" preserveAspectRatio="none" aria-hidden="true">
        <path d="M-10 176c120-60 180 20 300-30s220-60 430-10M-10 120c140-50 200 10 330-36s190-40 400-4M-10 66c150-44 220 0 350-30s170-20 380 4" />
      </svg>
      <div className={styles.stations}>
        <svg className={styles.flow} viewBox="0 0 400 32" preserveAspectRatio="none" aria-hidden="true">
          <path d="M52 16H148" />
          {moving && <path className={styles.run} d={to === 'shore' ? 'M52 16H148M252 16H348' : 'M52 16H148'} />}
          {!(moving && to === 'shore') && <path className={shore > 0 ? undefined : styles.none} d="M252 16H348" />}
        </svg>
        <Station shape="upright" n={tablet} total={total} word="Tablet" detail="saved and read back" />
        <Station
          shape="hull"
          n={box}
          total={total}
          word="Box"
          detail="checked, with receipt"
          going={moving && to === 'box'}
        />
        <Station
          shape="hill"
          n={shore}
          total={total}
          word="Shore"
          detail={ashoreWords}
          going={moving && to === 'shore'}
        />
      </div>
    </section>
  );
}

function Station({
  shape,
  n,
  total,
  word,
  detail,
  going = false,
}: {
  readonly shape: 'upright' | 'hull' | 'hill';
  readonly n: number;
  readonly total: number;
  readonly word: string;
  readonly detail: string;
  readonly going?: boolean;
}) {
  const state: LampState = total > 0 && n === total ? 'on' : n > 0 || going ? 'going' : 'off';
  return (
    <div className={styles.station}>
      <Lamp shape={shape} state={state} size="head" />
      <span className={styles.n}>{n.toLocaleString('en')}</span>
      <span className={styles.word}>{word}</span>
      <span className={styles.detail}>{detail}</span>
    </div>
  );
}
