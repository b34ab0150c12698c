import { useRef, useState } from 'react';
import { Note } from '../../ui/feedback/Note';
import { SendingStrip } from '../sync-status';
import styles from './CapturePage.module.css';
import { AddFilesNotices } from './queue/AddFilesNotices';
import { AddingProgress } from './queue/AddingProgress';
import { RetakeHints } from './roll/RetakeHints';
import { Roll } from './roll/Roll';
import type { RollItem } from './roll/roll-items';
import { RollTools } from './roll/RollTools';
import { useRollFocus } from './roll/use-roll-focus';
import { useStickyHeight } from './roll/use-sticky-height';
import type { CaptureScreen } from './use-capture-work';

/** Progress, notes and the roll. */
export function CapturePanel({ screen }: { readonly screen: CaptureScreen }) {
  const { repositories, survey, queue, photographs, adding, isWorking, counts, roll, selection, actions } = screen;
  const { rollItems, numberOf } = roll;
  const { images } = repositories.census;
  // State: the roll mounts before a ref of its parent is set.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const gauge = useRef<HTMLDivElement>(null);
  const gaugeHeight = useStickyHeight(gauge);
  useRollFocus(scroller, selection.isOn, screen.showsRemoved);
  return (
    <div className={styles.panel} ref={setScroller}>
      <div className={styles.gauge} ref={gauge}>
        <AddingProgress
          adding={adding}
          total={photographs.length}
          onDismiss={() => queue.dismiss(survey.id)}
          numberOf={numberOf}
          rest={
            counts.total > 0 && (
              <SendingStrip
                sending={repositories.custody.sending}
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
        <PanelNotes screen={screen} />
        <RollTools
          images={images}
          surveyId={survey.id}
          isEmpty={photographs.length === 0}
          isSelecting={selection.isOn}
          onSelect={selection.isOn ? selection.end : selection.begin}
          onRemoved={() => screen.setShowsRemoved(true)}
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
          onOpen={(rollItem) => screen.open(rollItem.key)}
          onRemove={screen.remove}
          onMove={(ids, before) => void actions.move(ids, before)}
          follow={isWorking && !adding.isPaused ? firstReadingKey(rollItems) : null}
        />
      )}
    </div>
  );
}

function PanelNotes({ screen }: { readonly screen: CaptureScreen }) {
  const { survey, read, addFiles, roll } = screen;
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
      <AddFilesNotices note={addFiles.note} onClear={addFiles.clear} />
      <RetakeHints counts={roll.hints} filter={roll.filter} onFilter={roll.setFilter} />
      {roll.rollItems.length === 0 && roll.filter === 'all' && read.status !== 'stale' && (
        <Note icon="photos" title="No photographs yet">
          Add them from a card, a folder or the camera, or drop them here. Up to 500 at a time is fine.
        </Note>
      )}
    </>
  );
}

function firstReadingKey(rollItems: readonly RollItem[]): string | null {
  return (
    rollItems.find((rollItem) => rollItem.kind === 'adding' && rollItem.file.state.status === 'reading')?.key ?? null
  );
}
