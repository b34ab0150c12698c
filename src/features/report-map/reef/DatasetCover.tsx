import { formatCount } from '../../../base/plural';
import type { DatasetMeta } from '../../../domain/results/region-meta';
import { basisText, bandOf, certaintyText, coverText, versionText } from './cover-text';
import styles from './DatasetCover.module.css';

/** Cover of a dataset over its reefs (3§3 "Results"), with how sure it is; nothing before the first reef with a cover. */
export function DatasetCover({ meta }: { readonly meta: DatasetMeta | null }) {
  if (meta === null || meta.result === undefined || meta.result === null) return null;
  const { resultReefs, shortName, result } = meta;
  const { totalCoralCover } = result.covers;
  return (
    <section className={styles.dataset} aria-label={`Coral cover of ${shortName}`}>
      <p className={styles.cover}>
        <b>{coverText(totalCoralCover.value)}</b> {bandOf(totalCoralCover.value)}, mean of{' '}
        {formatCount(resultReefs, 'reef')}
      </p>
      <p>{certaintyText(totalCoralCover)}.</p>
      <p>
        {basisText(result)}. {versionText(meta)}.
      </p>
    </section>
  );
}
