import { useState, type ReactNode } from 'react';
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
  readonly dashboard: ReactNode;
  readonly library: ReactNode;
  readonly expert?: ReactNode;
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
  dashboard,
  library,
  expert,
  downloads,
}: Props) {
  const [failed, setFailed] = useState(false);
  return (
    <Dialog isOpen onClose={onClose} title="Further ways">
      <div className={styles.ways}>
        <Button icon="sun" onPress={onLight}>
          Light, colours, rotate
        </Button>
        {hasTraining && (
          <Button icon="info" onPress={() => onTraining(!isTraining)}>
            {isTraining ? 'End the training' : 'Training'}
          </Button>
        )}
        {dashboard}
        {library}
        {expert}
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
      {failed && <p role="alert">The file could not be made. The analysis is as it was; try again.</p>}
    </Dialog>
  );
}
