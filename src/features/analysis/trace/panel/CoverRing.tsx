import { useEffect, useState } from 'react';
import { ProgressBar } from 'react-aria-components';
import { ANALYSIS_LIMITS } from '../../../../domain/limits';
import { formatCover, percentToGo, type Cover } from '../../canvas/cover';
import styles from './CoverRing.module.css';

const RADIUS = 42;
const ROUND = 2 * Math.PI * RADIUS;
/** Angle of the completion mark. */
const COMPLETE_ANGLE = (ANALYSIS_LIMITS.completeAt - 0.25) * 2 * Math.PI;

export function CoverRing({ cover }: { readonly cover: Cover }) {
  const { progress, isComplete, flag } = cover;
  const percentText = formatCover(progress);
  const missing = percentToGo(progress);
  return (
    <div className={styles.cover}>
      <ProgressBar aria-label="Painted" value={progress * 100} valueLabel={percentText} className={styles.ring ?? ''}>
        <svg viewBox="0 0 96 96" aria-hidden="true">
          <circle className={styles.ground} cx="48" cy="48" r={RADIUS} />
          <circle className={styles.arc} cx="48" cy="48" r={RADIUS} strokeDasharray={`${progress * ROUND} ${ROUND}`} />
          <path
            className={styles.mark}
            d={`M${48 + Math.cos(COMPLETE_ANGLE) * (RADIUS - 6)} ${48 + Math.sin(COMPLETE_ANGLE) * (RADIUS - 6)}L${48 + Math.cos(COMPLETE_ANGLE) * (RADIUS + 6)} ${48 + Math.sin(COMPLETE_ANGLE) * (RADIUS + 6)}`}
          />
        </svg>
        <b>{percentText}</b>
      </ProgressBar>
      <div className={styles.words}>
        <h1>{isComplete ? 'Ready to save' : `${missing}% to go`}</h1>
        <p>
          {flag !== null
            ? `${flag.type.label}: the whole picture.`
            : isComplete
              ? 'Keep painting, or save it.'
              : 'Done at 95%. Paint what you are sure of, then use Fill rest.'}
        </p>
      </div>
      <CoverAnnouncement progress={progress} isComplete={isComplete} />
    </div>
  );
}

/** Announces each tenth and completion only: each per cent would be too much. */
function CoverAnnouncement({ progress, isComplete }: Pick<Cover, 'progress' | 'isComplete'>) {
  const tenth = Math.floor(progress * 10 + 1e-9) * 10;
  const now = isComplete ? 'Enough is painted. You can save it.' : `${tenth}% painted`;
  const [announced, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(now), 600);
    return () => clearTimeout(timer);
  }, [now]);
  return (
    <span className={styles.aloud} role="status">
      {announced}
    </span>
  );
}
