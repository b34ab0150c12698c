import { memo, useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import { formatDay } from '../../domain/survey/day';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts, CustodyLights, lightsOfMany, SendingStrip } from '../sync-status';
import { countCustody, SurveyLog, type CustodyCounts } from '../survey';
import { AddPhotographs } from './queue/AddPhotographs';
import { addingQueueFor } from './queue/adding-queue';
import { CameraClock } from './camera-clock/CameraClock';
import styles from './CapturePage.module.css';
import { rollItemsOf, countHints, createNumbering, type RollItem, type RollFilter } from './roll/roll-items';
import { DropFiles } from './queue/DropFiles';
import { AddFilesNotices } from './queue/AddFilesNotices';
import { OpenedItem } from './dialogs/OpenedItem';
import { AddingProgress } from './queue/AddingProgress';
import { RemovedDialog } from './dialogs/RemovedDialog';
import { Roll } from './roll/Roll';
import { RollTools } from './roll/RollTools';
import { RetakeHints } from './roll/RetakeHints';
import { SelectionBar } from './roll/SelectionBar';
import { TrackPlacement } from './camera-clock/TrackPlacement';
import { UnreadFilesNote } from './queue/UnreadFilesNote';
import { usePhotographActions } from './roll/use-photograph-actions';
import { useDetectedClock } from './camera-clock/use-detected-clock';
import { useAddFiles } from './queue/use-add-files';
import { useStickyHeight } from './roll/use-sticky-height';
import { useRollFocus } from './roll/use-roll-focus';
import { useThrottled } from './use-throttled';
import { cardVerdict } from './capture-text';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly back: ReactNode;
}

const NO_SELECTION: ReadonlySet<ImageId> = new Set();

/** Rendered with low priority: it depends little on the photographs. */
const MemoSurveyLog = memo(
  SurveyLog,
  (before, now) =>
    isSameLog(before.survey, now.survey) && before.images === now.images && before.repositories === now.repositories,
);
const MemoCameraClock = memo(
  CameraClock,
  (before, now) =>
    isSameLog(before.survey, now.survey) &&
    before.photographs === now.photographs &&
    before.repositories === now.repositories,
);
const MemoTrackPlacement = memo(TrackPlacement);

/** Log at the left, roll at the right, safety text and main action in the footer. */
export function CaptureWork({ repositories, survey, back }: Props) {
  const {
    census: { images, surveys },
    custody: { sending },
  } = repositories;
  const surveyId = survey.id;
  const queue = addingQueueFor(images);
  const read = useObservable(images.ofSurvey(surveyId));
  const adding = useObservable(queue.ofSurvey(surveyId));
  const removed = useObservable(images.removed(surveyId)).items.length;
  const photographs = read.items;
  const isWorking = adding.reading + adding.waiting > 0;
  const throttledPhotographs = useDeferredValue(useThrottled(photographs, isWorking));
  const deferredSurvey = useDeferredValue(survey);
  const [filter, setFilter] = useState<RollFilter>('all');
  const [selected, setSelected] = useState<ReadonlySet<ImageId>>(NO_SELECTION);
  const [isSelecting, setSelecting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const [showsRemoved, setShowsRemoved] = useState(false);
  // State: the roll mounts before a ref of its parent is set.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const gauge = useRef<HTMLDivElement>(null);
  const gaugeHeight = useStickyHeight(gauge);

  const counts = useMemo(() => countCustody(photographs), [photographs]);
  const hints = useMemo(() => countHints(photographs), [photographs]);
  const rollItems = useMemo(
    () => rollItemsOf(photographs, adding.items, adding.keys, filter),
    [photographs, adding, filter],
  );
  const [numbering] = useState(createNumbering);
  const numberOf = useMemo(() => numbering(photographs), [numbering, photographs]);
  const order = useMemo(() => photographs.map(({ id }) => id), [photographs]);
  const selectedInOrder = useMemo(() => order.filter((id) => selected.has(id)), [order, selected]);
  const addFiles = useAddFiles(repositories, queue, surveyId);
  const actions = usePhotographActions(images, surveyId);
  useDetectedClock(surveys, surveyId, adding.detectedClock, photographs);

  useRollFocus(scroller, isSelecting || selectedInOrder.length > 0, showsRemoved);

  // An empty filter falls back to all.
  useEffect(() => {
    if (filter === 'hints' && photographs.length > 0 && hints.photographs === 0) setFilter('all');
  }, [filter, hints, photographs]);

  const isSelectionShown = isSelecting || selectedInOrder.length > 0;
  const endSelection = (): void => {
    setSelecting(false);
    setSelected(NO_SELECTION);
  };
  const remove = (ids: readonly ImageId[]): void => {
    setSelected(NO_SELECTION);
    void actions.remove(ids);
  };
  /** Memoised, so that the log does not render for it. */
  const cards = useMemo(
    () => (
      <>
        <MemoCameraClock repositories={repositories} survey={deferredSurvey} photographs={throttledPhotographs} />
        <MemoTrackPlacement images={images} surveyId={surveyId} photographs={throttledPhotographs} />
      </>
    ),
    [repositories, images, surveyId, deferredSurvey, throttledPhotographs],
  );
  const isEmpty = rollItems.length === 0 && filter === 'all';
  const verdict = cardVerdict(counts, adding);
  return (
    <>
      <PageHeader
        title={survey.name}
        sub={`${survey.place === survey.name ? '' : `${survey.place} · `}${formatDay(survey.date)}`}
        back={back}
        facts={<Facts repositories={repositories} counts={counts} />}
      />
      <DropFiles onFiles={(given) => void addFiles.add(given)}>
        <main className={styles.work}>
          <div className={styles.log}>
            <MemoSurveyLog repositories={repositories} survey={deferredSurvey} images={throttledPhotographs}>
              {cards}
            </MemoSurveyLog>
          </div>
          <div className={styles.panel} ref={setScroller}>
            <div className={styles.gauge} ref={gauge}>
              <AddingProgress
                adding={adding}
                total={photographs.length}
                onDismiss={() => queue.dismiss(surveyId)}
                numberOf={numberOf}
                rest={
                  counts.total > 0 && (
                    <SendingStrip
                      sending={sending}
                      total={counts.total}
                      onBox={counts.receipted}
                      onItsWay={counts.onItsWay}
                      isQuiet
                    />
                  )
                }
              />
            </div>
            <div className={styles.notes}>
              {read.status === 'error' && (
                <Note tone="look" icon="alert" title="The photographs could not be read" role="status">
                  {read.error.message} Everything saved is still on this tablet.
                </Note>
              )}
              {survey.doc['demo'] === true && (
                <Note icon="info" title="Demo content">
                  A program drew these pictures. They show no real place. To remove them all, run “npm run demo:remove”
                  on the box.
                </Note>
              )}
              <AddFilesNotices note={addFiles.note} onClear={addFiles.clear} />
              {!isWorking && addFiles.note.kind !== 'no-room' && (
                <UnreadFilesNote cards={repositories.custody.cards} surveyId={surveyId} />
              )}
              <RetakeHints counts={hints} filter={filter} onFilter={setFilter} />
              {isEmpty && read.status !== 'stale' && (
                <Note icon="photos" title="No photographs yet">
                  Add them from a card, a folder or the camera, or drop them here. Up to 500 at a time is fine.
                </Note>
              )}
              {photographs.length > 0 && (
                <RollTools
                  isSelecting={isSelectionShown}
                  removed={removed}
                  onSelect={() => (isSelectionShown ? endSelection() : setSelecting(true))}
                  onRemoved={() => setShowsRemoved(true)}
                />
              )}
              {photographs.length === 0 && removed > 0 && (
                <Button onPress={() => setShowsRemoved(true)}>Removed: {removed.toLocaleString('en')}</Button>
              )}
            </div>
            {rollItems.length > 0 && (
              <Roll
                images={images}
                rollItems={rollItems}
                scroller={scroller}
                coveredTop={gaugeHeight}
                selected={selected}
                isSelecting={isSelectionShown}
                numberOf={numberOf}
                onSelect={setSelected}
                onOpen={(cell) => setOpened(cell.key)}
                onRemove={remove}
                onMove={(ids, before) => void actions.move(ids, before)}
                follow={isWorking && !adding.isPaused ? firstReadingKey(rollItems) : null}
              />
            )}
          </div>
        </main>
      </DropFiles>
      <footer className={styles.foot}>
        {isSelectionShown ? (
          <SelectionBar
            selected={selectedInOrder}
            order={order}
            onAll={() => setSelected(new Set(order))}
            onDone={endSelection}
            onRemove={() => remove(selectedInOrder)}
            onMove={(before) => void actions.move(selectedInOrder, before)}
          />
        ) : (
          <>
            <p className={styles.safe}>
              <b>{verdict[0]}</b>
              <span>{verdict[1]}</span>
            </p>
            {isWorking && adding.isPaused && <Button onPress={() => queue.stop(surveyId)}>Stop adding</Button>}
            {isWorking && (
              <Button
                icon={adding.isPaused ? 'play' : 'pause'}
                onPress={() => (adding.isPaused ? queue.resume() : queue.pause())}
              >
                {adding.isPaused ? 'Resume' : 'Pause'}
              </Button>
            )}
            <AddPhotographs onFiles={(given) => void addFiles.add(given)} />
          </>
        )}
      </footer>
      {opened !== null && (
        <OpenedItem
          images={images}
          rollItems={rollItems}
          openedKey={opened}
          order={order}
          numberOf={numberOf}
          onOpen={setOpened}
          onKeep={(id) => void actions.keepAsIs(id)}
          onRetake={(id, file) => void addFiles.add({ photographs: [file], leftOut: [] }, id)}
          onRemove={(id) => remove([id])}
          onMove={(id, before) => void actions.move([id], before)}
          surveyId={surveyId}
        />
      )}
      {showsRemoved && (
        <RemovedDialog
          images={images}
          surveyId={surveyId}
          onClose={() => setShowsRemoved(false)}
          onRestore={(list) => void actions.restore(list.map(({ id }) => id))}
        />
      )}
    </>
  );
}

/** Ignores photograph counts and custody, which the log does not show. */
function isSameLog(a: SurveyView, b: SurveyView): boolean {
  return a === b || (a.id === b.id && a.doc === b.doc && a.conflicts === b.conflicts);
}

function Facts({
  repositories: {
    edge,
    custody: { sending },
  },
  counts,
}: {
  readonly repositories: Pick<Repositories, 'edge' | 'custody'>;
  readonly counts: CustodyCounts;
}) {
  const { to } = useObservable(sending.facts);
  return (
    <>
      <ConnectionFacts edge={edge} />
      <span className={styles.lights}>
        <CustodyLights lights={lightsOfMany(counts, to)} counts={counts} />
      </span>
    </>
  );
}

function firstReadingKey(rollItems: readonly RollItem[]): string | null {
  return (
    rollItems.find((rollItem) => rollItem.kind === 'adding' && rollItem.file.state.status === 'reading')?.key ?? null
  );
}
