import { useMemo, useRef, useState, type ReactNode } from 'react';
import type { PhotographView, QueryResult, Repositories, SurveyView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import { formatDay } from '../../domain/survey/day';
import { Note } from '../../ui/feedback/Note';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts, CustodyLights, lightsOfMany, SendingStrip } from '../sync-status';
import { countCustody, type CustodyCounts } from '../survey';
import { useDetectedClock } from './camera-clock/use-detected-clock';
import { CaptureLog } from './CaptureLog';
import styles from './CapturePage.module.css';
import { OpenedItem } from './dialogs/OpenedItem';
import { RemovedDialog } from './dialogs/RemovedDialog';
import { AddFilesNotices } from './queue/AddFilesNotices';
import { AddingBar } from './queue/AddingBar';
import { addingQueueFor } from './queue/adding-queue';
import { AddingProgress } from './queue/AddingProgress';
import { DropFiles } from './queue/DropFiles';
import { UnreadFilesNote } from './queue/UnreadFilesNote';
import { useAddFiles } from './queue/use-add-files';
import { RetakeHints } from './roll/RetakeHints';
import { Roll } from './roll/Roll';
import type { RollItem } from './roll/roll-items';
import { RollTools } from './roll/RollTools';
import { SelectionBar } from './roll/SelectionBar';
import { usePhotographActions } from './roll/use-photograph-actions';
import { useRollFocus } from './roll/use-roll-focus';
import { useRollItems } from './roll/use-roll-items';
import { useRollSelection } from './roll/use-roll-selection';
import { useStickyHeight } from './roll/use-sticky-height';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly back: ReactNode;
}

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
  const photographs = read.items;
  const isWorking = adding.reading + adding.waiting > 0;
  const [opened, setOpened] = useState<string | null>(null);
  const [showsRemoved, setShowsRemoved] = useState(false);
  // State: the roll mounts before a ref of its parent is set.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const gauge = useRef<HTMLDivElement>(null);
  const gaugeHeight = useStickyHeight(gauge);

  const counts = useMemo(() => countCustody(photographs), [photographs]);
  const { filter, setFilter, hints, rollItems, numberOf } = useRollItems(photographs, adding);
  const selection = useRollSelection(photographs);
  const addFiles = useAddFiles(repositories, queue, surveyId);
  const actions = usePhotographActions(images, surveyId);
  useDetectedClock(surveys, surveyId, adding.detectedClock, photographs);

  useRollFocus(scroller, selection.isOn, showsRemoved);

  const remove = (ids: readonly ImageId[]): void => {
    selection.clear();
    void actions.remove(ids);
  };
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
            <CaptureLog repositories={repositories} survey={survey} photographs={photographs} isWorking={isWorking} />
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
              <SurveyNotes read={read} survey={survey} />
              <AddFilesNotices note={addFiles.note} onClear={addFiles.clear} />
              {!isWorking && addFiles.note.kind !== 'no-room' && (
                <UnreadFilesNote cards={repositories.custody.cards} surveyId={surveyId} />
              )}
              <RetakeHints counts={hints} filter={filter} onFilter={setFilter} />
              {rollItems.length === 0 && filter === 'all' && read.status !== 'stale' && (
                <Note icon="photos" title="No photographs yet">
                  Add them from a card, a folder or the camera, or drop them here. Up to 500 at a time is fine.
                </Note>
              )}
              <RollTools
                images={images}
                surveyId={surveyId}
                isEmpty={photographs.length === 0}
                isSelecting={selection.isOn}
                onSelect={selection.isOn ? selection.end : selection.begin}
                onRemoved={() => setShowsRemoved(true)}
              />
            </div>
            {rollItems.length > 0 && (
              <Roll
                images={images}
                rollItems={rollItems}
                scroller={scroller}
                coveredTop={gaugeHeight}
                selected={selection.selected}
                isSelecting={selection.isOn}
                numberOf={numberOf}
                onSelect={selection.select}
                onOpen={(rollItem) => setOpened(rollItem.key)}
                onRemove={remove}
                onMove={(ids, before) => void actions.move(ids, before)}
                follow={isWorking && !adding.isPaused ? firstReadingKey(rollItems) : null}
              />
            )}
          </div>
        </main>
      </DropFiles>
      <footer className={styles.foot}>
        {selection.isOn ? (
          <SelectionBar
            selected={selection.inOrder}
            order={selection.order}
            onAll={selection.selectAll}
            onDone={selection.end}
            onRemove={() => remove(selection.inOrder)}
            onMove={(before) => void actions.move(selection.inOrder, before)}
          />
        ) : (
          <AddingBar
            counts={counts}
            adding={adding}
            queue={queue}
            surveyId={surveyId}
            onFiles={(given) => void addFiles.add(given)}
          />
        )}
      </footer>
      {opened !== null && (
        <OpenedItem
          images={images}
          rollItems={rollItems}
          openedKey={opened}
          order={selection.order}
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

function SurveyNotes({ read, survey }: { readonly read: QueryResult<PhotographView>; readonly survey: SurveyView }) {
  return (
    <>
      {read.status === 'error' && (
        <Note tone="look" icon="alert" title="The photographs could not be read" role="status">
          {read.error.message} Everything saved is still on this tablet.
        </Note>
      )}
      {survey.doc['demo'] === true && (
        <Note icon="info" title="Demo content">
          A program drew these pictures. They show no real place. To remove them all, run “npm run demo:remove” on the
          box.
        </Note>
      )}
    </>
  );
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
