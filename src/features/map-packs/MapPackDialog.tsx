import { useCallback, useEffect, useRef, useState } from 'react';
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
import { cardsText, PICTURE_BYTES, CARD_BYTES, progressText, startLabel, type TakenCards } from './pack-text';
import { MapRunner } from './map-runner';
import { packProgress } from './pack-progress';
import { takeCards, type ReportReads } from './take-cards';

interface Props<Image> {
  /** Region and dataset of the map, as a key. */
  readonly mapId: string;
  readonly packs: Repositories['edge']['packs'];
  /** Archives of the map, from `RegionMeta.layers`. */
  readonly items: readonly PackItem[];
  readonly reads: ReportReads<Image>;
  /** Survey cards and pictures on this tablet. */
  readonly taken: {
    readonly stored: () => Promise<{ readonly reefs: readonly string[]; readonly pictures: number }>;
    readonly remove: () => Promise<void>;
  };
  /** Reefs with surveys in the dataset, by feature id. */
  readonly featureIds: readonly string[];
  /** Photographs of the dataset, for the size of their pictures. */
  readonly photographs: number;
  readonly datasetName: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const NOTHING: TakenCards = { reefs: 0, pictures: 0 };
const runner = new MapRunner();

/** Downloads a region's map for use offline, with its size beforehand, progress, pause and resume. */
export function MapPackDialog<Image>(props: Props<Image>) {
  const { mapId, packs, items, reads, taken, featureIds, photographs, datasetName, isOpen, onClose } = props;
  const progress = packProgress(items, useObservable(packs.packs));
  const [parts, setParts] = useState({ cards: true, pictures: false });
  const [stored, setStored] = useState(NOTHING);
  const run = useObservable(runner.run);
  const isRunning = run.isRunning || progress.status === 'fetching';
  const isOther = run.isRunning && run.mapId !== mapId;
  const own = run.mapId === mapId ? run : null;
  const countStored = async (): Promise<TakenCards> => {
    const [{ reefs, pictures }, present] = [await taken.stored(), new Set(featureIds)];
    return { reefs: reefs.filter((id) => present.has(id)).length, pictures };
  };
  const latest = useRef(countStored);
  latest.current = countStored;
  const count = useCallback(async () => {
    const found = await latest.current();
    setStored(found);
    if (found.pictures > 0) setParts((chosen) => ({ ...chosen, pictures: chosen.cards }));
  }, []);
  // Counts again when a download ends.
  useEffect(() => {
    if (isOpen && !run.isRunning) void count();
  }, [isOpen, run.isRunning, count]);
  const all = { reefs: featureIds.length, pictures: photographs };
  const isWhole = (!parts.cards || stored.reefs >= all.reefs) && (!parts.pictures || stored.pictures >= all.pictures);
  const size =
    progress.total -
    progress.received +
    (parts.cards ? Math.max(0, all.reefs - stored.reefs) * CARD_BYTES : 0) +
    (parts.pictures ? Math.max(0, all.pictures - stored.pictures) * PICTURE_BYTES : 0);

  const start = (): Promise<void> =>
    runner.start({ mapId, name: datasetName }, async (signal, onReefs) => {
      if (!(await packs.download(items))) return 0;
      signal.throwIfAborted();
      return takeCards(reads, featureIds, parts, signal, onReefs);
    });
  const pause = (): void => {
    runner.pause();
    packs.pause();
  };
  const remove = async (): Promise<void> => {
    runner.clear();
    await packs.remove(items.map(({ name }) => name));
    await taken.remove();
    await count();
  };
  const why = own === null || own.error === null ? progress.why : failureText(own.error);
  const missing = own?.missing ?? 0;
  const hasSome = progress.status !== 'none' || stored.reefs > 0 || stored.pictures > 0;
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
            {hasSome && (
              <HoldButton holdLabel="Hold to delete" variant="line" onHeld={() => void remove()}>
                Delete
              </HoldButton>
            )}
            <Button variant="primary" isDisabled={items.length === 0} onPress={() => void start()}>
              {startLabel(progress, isWhole)}
            </Button>
          </>
        )
      }
    >
      <p>
        Map, figures and surveys of {datasetName} work on this tablet without a network.{' '}
        {size > 0 && !isRunning && <b className={styles.size}>About {formatBytes(size)} to download.</b>}
      </p>
      <div className={styles.parts}>
        <Switch
          label="Survey cards"
          help={`${formatCount(all.reefs, 'reef')}, about ${formatBytes(all.reefs * CARD_BYTES)}`}
          isOn={parts.cards}
          isDisabled={isRunning}
          onChange={(cards) => setParts({ cards, pictures: cards && parts.pictures })}
        />
        <Switch
          label="Small pictures"
          help={`${formatCount(all.pictures, 'photograph')}, about ${formatBytes(all.pictures * PICTURE_BYTES)}`}
          isOn={parts.pictures}
          isDisabled={isRunning || !parts.cards}
          onChange={(pictures) => setParts({ ...parts, pictures })}
        />
      </div>
      {(isRunning || hasSome) && (
        <div className={styles.progress}>
          <progress aria-label="Map" max={Math.max(1, progress.total)} value={progress.received} />
          <p role="status">
            {isOther
              ? `The map of ${run.name} is being downloaded first.`
              : progressText(progress, run.isRunning ? run.reefs : null, all.reefs)}{' '}
            {!isRunning && cardsText(stored, all)}
          </p>
        </div>
      )}
      {missing > 0 && !isRunning && (
        <p>{formatCount(missing, 'picture')} could not be fetched: no server in reach has them yet.</p>
      )}
      {why !== null && !isRunning && (
        <p role="alert" className={styles.failure}>
          {why}
          {(progress.received > 0 || stored.reefs > 0) && ' What was downloaded stays.'}
        </p>
      )}
    </Dialog>
  );
}

function failureText(error: unknown): string {
  return error instanceof ReefError ? error.message : 'The map could not be downloaded. Try again.';
}
