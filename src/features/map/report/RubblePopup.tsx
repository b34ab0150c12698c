import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/controls/Button';
import type { RubbleTable } from './report-map-props';
import styles from './ReportMap.module.css';

interface Props {
  readonly table: RubbleTable;
  /** Position in the table. */
  readonly site: number;
  readonly onClose: () => void;
}

/**
 * 3§2: "clicking a rubble point shows a popup with Images Count and Avg Rubble Prob"; ours: interval, analysts and
 * versions, as of each public figure.
 */
export function RubblePopup({ table, site, onClose }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  const source = table.sources[site];
  useEffect(() => popup.current?.focus(), [site]);
  return (
    <div
      ref={popup}
      className={styles.popup}
      role="dialog"
      aria-label="Rubble site"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Else the report steps back as well.
        event.stopPropagation();
        onClose();
      }}
    >
      <dl>
        <dt>Images Count</dt>
        <dd>{table.photographs[site] ?? 0}</dd>
        <dt>Avg Rubble Prob</dt>
        <dd>{Math.round(table.probabilities[site] ?? 0)}%</dd>
        {source === null && (
          <>
            <dt>Source</dt>
            <dd>Imported</dd>
          </>
        )}
        {source && (
          <>
            <dt>95% Likely</dt>
            <dd>
              {Math.floor(source.low)} to {Math.ceil(source.high)}%
            </dd>
            <dt>Analysts</dt>
            <dd>{source.analysts}</dd>
            <dt>Version</dt>
            <dd>
              skill {source.skill}, method {source.pipeline}
            </dd>
          </>
        )}
      </dl>
      <Button icon="close" variant="quiet" aria-label="Close" onPress={onClose} />
    </div>
  );
}
