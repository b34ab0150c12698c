import { useEffect, useRef } from 'react';
import type { RegionId } from '../../../domain/region/region-id';
import { Button } from '../../../ui/controls/Button';
import { reefName } from '../../../domain/reef/reef-label';
import type { ReportReef } from '../data/report-data';
import { CoverFacts } from './CoverFacts';
import { CoverPie } from './CoverPie';
import { basisText, resultText, versionText } from './cover-text';
import styles from './ReefPanel.module.css';

interface Props {
  readonly reef: ReportReef;
  readonly regionId: RegionId;
  readonly datasetName: string;
  readonly onClose: () => void;
  readonly onOpenPage: (path: string) => void;
}

/** Result of a reef: 3§2 "Coral Cover Analysis". */
export default function ReefPanel({ reef, regionId, datasetName, onClose, onOpenPage }: Props) {
  const { result, featureId, gid, name } = reef;
  const page = `/reefs/${regionId}/${encodeURIComponent(featureId)}`;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // From the card of the list that opened it: its links are nearer to the keyboard than the rest of the list.
    if (document.activeElement?.getAttribute('data-step') === featureId) panel.current?.focus({ preventScroll: true });
  }, [featureId]);
  return (
    <section ref={panel} tabIndex={-1} className={styles.panel} aria-label={`${reefName(reef)}: coral cover analysis`}>
      <header className={styles.head}>
        <div>
          <h2 className={styles.name}>
            {reefName(reef)}
            {gid !== '' && name !== '' && !name.includes(gid) && ` ${gid}`}
          </h2>
          <p className={styles.sub}>Coral Cover Analysis, {datasetName}</p>
        </div>
        <Button variant="quiet" icon="close" aria-label="Close reef" onPress={onClose} />
      </header>
      {result !== null && result.covers !== null && <CoverPie covers={result.covers} />}
      <CoverFacts result={result} />
      <div className={styles.sure}>
        {result === null ? (
          <p>No photograph of this reef has been analysed in {datasetName}.</p>
        ) : (
          <>
            <p className={styles.certain}>{resultText(result)}.</p>
            {result.photographs > 0 && (
              <>
                <p>{basisText(result)}.</p>
                <p>{versionText(result)}.</p>
              </>
            )}
          </>
        )}
        <a
          href={page}
          onClick={(event) => {
            // A new tab or window is the browser's own.
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
            event.preventDefault();
            onOpenPage(page);
          }}
        >
          Everything about {reefName(reef)}
        </a>
      </div>
    </section>
  );
}
