import { useEffect, useState } from 'react';
import type { Repositories } from '../../data/repositories';
import type { RegionId } from '../../domain/region/region-id';
import { DEFAULT_REGION } from '../../domain/region/region-id';
import type { AppContext } from '../shell';
import { useTitle } from '../shell';
import type { GoToReport, ReportPlace } from './address/report-actions';
import { UnknownNote } from './panels/UnknownNote';
import styles from './ReportPage.module.css';
import { RegionReport } from './RegionReport';

interface Props extends Pick<AppContext, 'open'> {
  /** Region of the address, or the chosen one; null if the address names one that does not exist. */
  readonly regionId: RegionId | null;
  /** Region as the address has it. */
  readonly regionText: string;
  readonly place: ReportPlace;
  readonly go: GoToReport;
  /** Opens another page of the app by its path. */
  readonly onOpenPage: (path: string) => void;
}

/** Report screen (3§2): paints the map before the tablet's data is open. */
export function ReportPage({ open, regionId, regionText, place, go, onOpenPage }: Props) {
  useTitle('Report');
  const repositories = useOpened(open);
  if (regionId === null)
    return (
      <main className={styles.page}>
        <UnknownNote
          title={`No region is called “${regionText}”`}
          ways={[
            {
              label: 'Open the report of the Great Barrier Reef',
              onGo: () => onOpenPage(`/${DEFAULT_REGION}/detailed-reporting`),
            },
          ]}
        />
      </main>
    );
  return (
    <RegionReport
      key={regionId}
      repositories={repositories}
      regionId={regionId}
      place={place}
      go={go}
      onOpenPage={onOpenPage}
    />
  );
}

/** Repositories once they are open. A failure is shown by the page's error boundary. */
function useOpened(open: AppContext['open']): Repositories | null {
  const [state, setState] = useState<{ readonly opened: Repositories } | { readonly error: unknown } | null>(null);
  useEffect(() => {
    let isOver = false;
    open().then(
      (opened) => {
        if (!isOver) setState({ opened });
      },
      (error: unknown) => {
        if (!isOver) setState({ error });
      },
    );
    return () => {
      isOver = true;
    };
  }, [open]);
  if (state !== null && 'error' in state) throw state.error;
  return state?.opened ?? null;
}
