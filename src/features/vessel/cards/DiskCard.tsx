import type { EdgeMeta } from '../../../data/repositories';
import { VESSEL_LIMITS } from '../../../domain/limits/vessel';
import { DiskTide } from '../../../ui/feedback/DiskTide';
import styles from './cards.module.css';
import { formatDays, diskFacts } from '../vessel-text';

export function DiskCard({
  disk,
  asOf,
}: {
  readonly disk: EdgeMeta['disk'] | undefined;
  readonly asOf: string | null;
}) {
  if (disk === undefined) {
    return (
      <section className={`${styles.card} ${styles.disk}`} aria-label="Disk of the box">
        <div className={styles.diskWords}>
          <h2>Disk</h2>
          <p className={styles.quiet}>Shown once the box is in reach.</p>
        </div>
      </section>
    );
  }
  const facts = diskFacts(disk);
  const days = facts.days === null ? null : formatDays(facts.days);
  return (
    <section className={`${styles.card} ${styles.disk}`} aria-label="Disk of the box">
      <DiskTide label="Disk of the box" used={facts.used} warnAt={VESSEL_LIMITS.diskWarnAt} valueText={facts.text} />
      <div className={styles.diskWords}>
        {days === null ? (
          <p className={styles.figure}>
            {Math.round(facts.used * 100)} <small>%</small>
          </p>
        ) : (
          <p className={styles.figure}>
            {days.figure} <small>{days.unit}</small>
          </p>
        )}
        <p className={styles.strong}>{days === null ? 'of the disk is used' : 'until the disk is full'}</p>
        <p className={styles.quiet}>
          {facts.text}{' '}
          {facts.isLow
            ? 'Free up space soon, or add another disk. A full box accepts nothing more, and photographs wait on the tablets.'
            : days === null
              ? 'The days left are shown after a day of use.'
              : 'At the dashed line, the box asks for space. A full box accepts nothing more, and photographs wait on the tablets.'}
        </p>
        {asOf !== null && <p className={styles.asOf}>as of {asOf}</p>}
      </div>
    </section>
  );
}
