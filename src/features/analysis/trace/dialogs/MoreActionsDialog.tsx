import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { SurveyId } from '../../../../domain/ids';
import { Button } from '../../../../ui/controls/Button';
import { Dialog } from '../../../../ui/controls/Dialog';
import styles from './MoreActionsDialog.module.css';

export interface DownloadAction {
  readonly label: string;
  readonly run: () => Promise<void>;
}

interface Props {
  readonly onClose: () => void;
  readonly onLight: () => void;
  readonly hasTraining: boolean;
  readonly isTraining: boolean;
  readonly onTraining: (on: boolean) => void;
  /** Survey whose library is offered; null: neither it nor the dashboard. */
  readonly librarySurvey: SurveyId | null;
  readonly moreLinks: ReactNode;
  readonly downloads: readonly DownloadAction[];
}

/**
 * Dialog of rarely used actions: display, training, and for verified people and admins dashboard, library and download
 * (2§2).
 */
export function MoreActionsDialog({
  onClose,
  onLight,
  hasTraining,
  isTraining,
  onTraining,
  librarySurvey,
  moreLinks,
  downloads,
}: Props) {
  const [failed, setFailed] = useState(false);
  return (
    <Dialog isOpen onClose={onClose} title="More">
      <div className={styles.ways}>
        <Button icon="sun" onPress={onLight}>
          Light, colours, rotate
        </Button>
        {hasTraining && (
          <Button icon="info" onPress={() => onTraining(!isTraining)}>
            {isTraining ? 'End training' : 'Training'}
          </Button>
        )}
        {librarySurvey !== null && (
          <>
            <Link to="/dashboard">Dashboard</Link>
            <Link to="/analysis/library/$survey" params={{ survey: librarySurvey }}>
              Library of this survey
            </Link>
          </>
        )}
        {moreLinks}
        {downloads.map(({ label, run }) => (
          <Button
            key={label}
            icon="down"
            onPress={() => {
              setFailed(false);
              run().catch((error: unknown) => {
                console.error('A download could not be made:', error);
                setFailed(true);
              });
            }}
          >
            {label}
          </Button>
        ))}
      </div>
      {failed && <p role="alert">The file could not be made. The analysis is unchanged. Try again.</p>}
    </Dialog>
  );
}
