import { useRef, useState } from 'react';
import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { PackItem, Repositories } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { Button } from '../../ui/controls/Button';
import { Dialog } from '../../ui/controls/Dialog';
import { HoldButton } from '../../ui/controls/HoldButton';
import { Switch } from '../../ui/controls/Switch';
import { useObservable } from '../shell';
import styles from './MapPackDialog.module.css';
import { packProgress, type PackProgress } from './pack-progress';
import { takeCards, type ReportReads } from './take-cards';

interface Props<Image> {
  readonly packs: Repositories['edge']['packs'];
  /** Archives of the map, from `RegionMeta.layers`. */
  readonly items: readonly PackItem[];
  readonly reads: ReportReads<Image>;
  /** Reefs with surveys in the dataset, by feature id. */
  readonly featureIds: readonly string[];
  /** Photographs of the dataset, for the size of their pictures. */
  readonly photographs: number;
  readonly datasetName: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Usual size of a small picture (800 px) and of a survey card. */
const PICTURE_BYTES = 90_000;
const CARD_BYTES = 8_000;

/** Downloads a region's map for use offline, with its size beforehand, progress, pause and resume. */
export function MapPackDialog<Image>(props: Props<Image>) {
  const { packs, items, reads, featureIds, photographs, datasetName, isOpen, onClose } = props;
  const progress = packProgress(items, useObservable(packs.packs));
  const [parts, setParts] = useState({ cards: true, pictures: false });
  const [reefs, setReefs] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  const size =
    progress.total -
    progress.received +
    (parts.cards ? featureIds.length * CARD_BYTES : 0) +
    (parts.pictures ? photographs * PICTURE_BYTES : 0);

  const start = async (): Promise<void> => {
    const pause = new AbortController();
    running.current = pause;
    setIsRunning(true);
    setFailure(null);
    try {
      await packs.download(items);
      pause.signal.throwIfAborted();
      await takeCards(reads, featureIds, parts, pause.signal, setReefs);
    } catch (error) {
      if (!pause.signal.aborted)
        setFailure(error instanceof ReefError ? error.message : 'The map could not be downloaded. Try again.');
    } finally {
      setIsRunning(false);
    }
  };
  const pause = (): void => {
    running.current?.abort();
    packs.pause();
  };
  const why = failure ?? progress.why;
  return (
    <Dialog
      title="Take this map along"
      isOpen={isOpen}
      onClose={onClose}
      actions={
        isRunning ? (
          <Button icon="pause" onPress={pause}>
            Pause
          </Button>
        ) : (
          <>
            {progress.status !== 'none' && (
              <HoldButton
                holdLabel="Hold to delete"
                variant="line"
                onHeld={() => void packs.remove(items.map(({ name }) => name))}
              >
                Delete
              </HoldButton>
            )}
            <Button variant="primary" isDisabled={items.length === 0} onPress={() => void start()}>
              {startLabel(progress)}
            </Button>
          </>
        )
      }
    >
      <p>
        Map, figures and surveys of {datasetName} work on this tablet without a network.{' '}
        {size > 0 && !isRunning && <b>About {formatBytes(size)} to download.</b>}
      </p>
      <div className={styles.parts}>
        <Switch
          label="Survey cards"
          help={`${formatCount(featureIds.length, 'reef')}, about ${formatBytes(featureIds.length * CARD_BYTES)}`}
          isOn={parts.cards}
          isDisabled={isRunning}
          onChange={(cards) => setParts({ cards, pictures: cards && parts.pictures })}
        />
        <Switch
          label="Small pictures"
          help={`${formatCount(photographs, 'photograph')}, about ${formatBytes(photographs * PICTURE_BYTES)}`}
          isOn={parts.pictures}
          isDisabled={isRunning || !parts.cards}
          onChange={(pictures) => setParts({ ...parts, pictures })}
        />
      </div>
      {(isRunning || progress.status !== 'none') && (
        <div className={styles.progress}>
          <progress aria-label="Map" max={Math.max(1, progress.total)} value={progress.received} />
          <p role="status">{progressText(progress, isRunning ? reefs : null, featureIds.length)}</p>
        </div>
      )}
      {why !== null && !isRunning && (
        <p role="alert" className={styles.failure}>
          {why} What was downloaded stays.
        </p>
      )}
    </Dialog>
  );
}

function startLabel({ status, isOld }: PackProgress): string {
  if (status === 'paused' || status === 'failed') return 'Resume';
  return status === 'kept' && isOld ? 'Download the newer map' : status === 'kept' ? 'Check again' : 'Download';
}

function progressText({ status, received, total, isOld }: PackProgress, reefs: number | null, ofReefs: number): string {
  const map = `${formatBytes(received)} of ${formatBytes(total)}`;
  if (reefs !== null) return `Map downloaded. Surveys of ${reefs} of ${formatCount(ofReefs, 'reef')}.`;
  switch (status) {
    case 'kept':
      return isOld ? 'An older map is on this tablet.' : `The map is on this tablet: ${formatBytes(total)}.`;
    case 'fetching':
      return `Downloading: ${map}.`;
    case 'paused':
    case 'failed':
      return `Paused: ${map}.`;
    case 'none':
      return 'Starting the download.';
  }
}
