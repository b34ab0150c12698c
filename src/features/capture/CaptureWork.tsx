import { memo, useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import { dayWords } from '../../domain/survey/day';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts, CustodyLights, lightsOfMany, SendingStrip } from '../sync-status';
import { countCustody, SurveyLog, type CustodyCounts } from '../survey';
import { AddPhotographs } from './AddPhotographs';
import { addingOf } from './adding';
import { CameraClock } from './CameraClock';
import styles from './CapturePage.module.css';
import { cellsOf, countHints, makeNumbering, type Cell, type RollFilter } from './cells';
import { DropFiles } from './DropFiles';
import { GivingNotes } from './GivingNotes';
import { OpenedCell } from './OpenedCell';
import { ReadingGauge } from './ReadingGauge';
import { RemovedDialog } from './RemovedDialog';
import { Roll } from './Roll';
import { RollTools } from './RollTools';
import { SecondPass } from './SecondPass';
import { SelectionBar } from './SelectionBar';
import { TrackPlace } from './TrackPlace';
import { UnreadNote } from './UnreadNote';
import { useArranging } from './use-arranging';
import { useClockSeen } from './use-clock-seen';
import { useGiving } from './use-giving';
import { useHeight } from './use-height';
import { useRollFocus } from './use-roll-focus';
import { useSeldom } from './use-seldom';
import { cardVerdict } from './words';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly back: ReactNode;
  readonly toTrace: (imageId: ImageId, words: string) => ReactNode;
}

const NONE: ReadonlySet<ImageId> = new Set();

/** The log is many fields, and little of it follows from the photographs: it is drawn when there is time, the roll at once. */
const Log = memo(
  SurveyLog,
  (before, now) =>
    sameSurvey(before.survey, now.survey) && before.images === now.images && before.repositories === now.repositories,
);
const Clock = memo(
  CameraClock,
  (before, now) =>
    sameSurvey(before.survey, now.survey) &&
    before.photographs === now.photographs &&
    before.repositories === now.repositories,
);
const Track = memo(TrackPlace);

/** The work on one survey: log at the left, roll at the right, what is safe and the main action in the foot. */
export function CaptureWork({ repositories, survey, back, toTrace }: Props) {
  const { images, sending, surveys } = repositories;
  const surveyId = survey.id;
  const queue = addingOf(images);
  const read = useObservable(images.ofSurvey(surveyId));
  const adding = useObservable(queue.ofSurvey(surveyId));
  const removed = useObservable(images.removed(surveyId)).items.length;
  const photographs = read.items;
  const isWorking = adding.reading + adding.waiting > 0;
  const later = useDeferredValue(useSeldom(photographs, isWorking));
  const surveyLater = useDeferredValue(survey);
  const [filter, setFilter] = useState<RollFilter>('all');
  const [selected, setSelected] = useState<ReadonlySet<ImageId>>(NONE);
  const [isSelecting, setSelecting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const [showsRemoved, setShowsRemoved] = useState(false);
  // A state, not a ref: the roll inside is mounted before a ref of what stands around it is set.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const gauge = useRef<HTMLDivElement>(null);
  const gaugeHeight = useHeight(gauge);

  const counts = useMemo(() => countCustody(photographs), [photographs]);
  const hints = useMemo(() => countHints(photographs), [photographs]);
  const cells = useMemo(() => cellsOf(photographs, adding.items, adding.keys, filter), [photographs, adding, filter]);
  const [numbering] = useState(makeNumbering);
  const numberOf = useMemo(() => numbering(photographs), [numbering, photographs]);
  const order = useMemo(() => photographs.map(({ id }) => id), [photographs]);
  const chosen = useMemo(() => order.filter((id) => selected.has(id)), [order, selected]);
  const giving = useGiving(repositories, queue, surveyId);
  const arranging = useArranging(images, surveyId);
  useClockSeen(surveys, surveyId, adding.clockSeen, photographs);

  useRollFocus(scroller, isSelecting || chosen.length > 0, showsRemoved);

  // What was removed elsewhere is no longer selected, and an empty filter shows all again.
  useEffect(() => {
    if (filter === 'hints' && photographs.length > 0 && hints.photographs === 0) setFilter('all');
  }, [filter, hints, photographs]);

  const isSelectionShown = isSelecting || chosen.length > 0;
  const endSelection = (): void => {
    setSelecting(false);
    setSelected(NONE);
  };
  const remove = (ids: readonly ImageId[]): void => {
    setSelected(NONE);
    void arranging.remove(ids);
  };
  /** One element for as long as nothing in it changes: the log above is not drawn anew for it. */
  const cards = useMemo(
    () => (
      <>
        <Clock repositories={repositories} survey={surveyLater} photographs={later} />
        <Track images={images} surveyId={surveyId} photographs={later} />
      </>
    ),
    [repositories, images, surveyId, surveyLater, later],
  );
  const isEmpty = cells.length === 0 && filter === 'all';
  const verdict = cardVerdict(counts, adding);
  return (
    <>
      <PageHeader
        title={survey.name}
        sub={`${survey.place === survey.name ? '' : `${survey.place} · `}${dayWords(survey.date)}`}
        back={back}
        facts={<Facts repositories={repositories} counts={counts} />}
      />
      <DropFiles onFiles={(given) => void giving.give(given)}>
        <main className={styles.work}>
          <div className={styles.log}>
            <Log repositories={repositories} survey={surveyLater} images={later}>
              {cards}
            </Log>
          </div>
          <div className={styles.panel} ref={setScroller}>
            <div className={styles.gauge} ref={gauge}>
              <ReadingGauge
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
                <Note tone="look" icon="alert" title="The photographs could not be read just now" role="status">
                  {read.error.message} What was saved is still on this tablet.
                </Note>
              )}
              {survey.doc['demo'] === true && (
                <Note icon="info" title="Demo content">
                  Its pictures were drawn by a program and show no real place. “npm run demo:remove”, where the box
                  runs, takes all of it away.
                </Note>
              )}
              <GivingNotes note={giving.note} onClear={giving.clear} />
              {/* A batch refused for want of room says so by itself. */}
              {!isWorking && giving.note.kind !== 'no-room' && (
                <UnreadNote cards={repositories.cards} surveyId={surveyId} />
              )}
              <SecondPass counts={hints} filter={filter} onFilter={setFilter} />
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
            {cells.length > 0 && (
              <Roll
                images={images}
                cells={cells}
                scroller={scroller}
                coveredTop={gaugeHeight}
                selected={selected}
                isSelecting={isSelectionShown}
                numberOf={numberOf}
                onSelect={setSelected}
                onOpen={(cell) => setOpened(cell.key)}
                onRemove={remove}
                onMove={(ids, before) => void arranging.move(ids, before)}
                follow={isWorking && !adding.isPaused ? firstReading(cells) : null}
              />
            )}
          </div>
        </main>
      </DropFiles>
      <footer className={styles.foot}>
        {isSelectionShown ? (
          <SelectionBar
            selected={chosen}
            order={order}
            onAll={() => setSelected(new Set(order))}
            onDone={endSelection}
            onRemove={() => remove(chosen)}
            onMove={(before) => void arranging.move(chosen, before)}
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
                {adding.isPaused ? 'Go on' : 'Pause'}
              </Button>
            )}
            <AddPhotographs onFiles={(given) => void giving.give(given)} />
          </>
        )}
      </footer>
      {opened !== null && (
        <OpenedCell
          images={images}
          cells={cells}
          openedKey={opened}
          order={order}
          numberOf={numberOf}
          onOpen={setOpened}
          onKeep={(id) => void arranging.keep(id)}
          onRetake={(id, file) => void giving.give({ photographs: [file], leftOut: [] }, id)}
          onRemove={(id) => remove([id])}
          onMove={(id, before) => void arranging.move([id], before)}
          toTrace={toTrace}
        />
      )}
      {showsRemoved && (
        <RemovedDialog
          images={images}
          surveyId={surveyId}
          onClose={() => setShowsRemoved(false)}
          onRestore={(list) => void arranging.restore(list.map(({ id }) => id))}
        />
      )}
    </>
  );
}

/** Whether the log of a survey is what it was: how many photographs it has, and where it is, are not written in it. */
function sameSurvey(a: SurveyView, b: SurveyView): boolean {
  return a === b || (a.id === b.id && a.doc === b.doc && a.conflicts === b.conflicts);
}

function Facts({
  repositories: { edge, sending },
  counts,
}: {
  readonly repositories: Pick<Repositories, 'edge' | 'sending'>;
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

function firstReading(cells: readonly Cell[]): string | null {
  return cells.find((cell) => cell.kind === 'adding' && cell.item.state.status === 'reading')?.key ?? null;
}
