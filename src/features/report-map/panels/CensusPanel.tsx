import type { DatasetMeta } from '../../../domain/results/region-meta';
import { reefName } from '../../../domain/reef/reef-label';
import type { ReportReef } from '../data/report-data';
import styles from './panels.module.css';

interface Props {
  readonly meta: DatasetMeta | null;
  readonly reef: ReportReef | null;
  /** True in the Results view, which counts only reefs with results. */
  readonly isResults: boolean;
}

/** 1§2 "Census stats panel": Surveys, Reefs and Images, and the active reef's name or "Point". */
export function CensusPanel({ meta, reef, isResults }: Props) {
  if (meta === null) return null;
  const counts = isResults
    ? ([['Reefs', meta.resultReefs]] as const)
    : ([
        ['Surveys', meta.surveys],
        ['Reefs', meta.reefs],
        ['Images', meta.images],
      ] as const);
  return (
    <section className={styles.census} aria-label="Census">
      <dl>
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {reef !== null && <p className={styles.active}>{reef.name === '' ? 'Point' : reefName(reef)}</p>}
    </section>
  );
}
