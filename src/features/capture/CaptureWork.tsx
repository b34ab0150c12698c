import type { ReactNode } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import { formatDay } from '../../domain/survey/day';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts, CustodyLights, lightsOfMany } from '../sync-status';
import type { CustodyCounts } from '../survey';
import { CaptureLog } from './CaptureLog';
import styles from './CapturePage.module.css';
import { CapturePanel } from './CapturePanel';
import { OpenedItem } from './dialogs/OpenedItem';
import { RemovedDialog } from './dialogs/RemovedDialog';
import { AddingBar } from './queue/AddingBar';
import { DropFiles } from './queue/DropFiles';
import { SelectionBar } from './roll/SelectionBar';
import { useCaptureWork, type CaptureScreen } from './use-capture-work';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly back: ReactNode;
}

/** Log at the left, roll at the right, safety text and main action in the footer. */
export function CaptureWork({ repositories, survey, back }: Props) {
  const screen = useCaptureWork(repositories, survey);
  const { queue, photographs, adding, isWorking, counts, selection, addFiles, actions, remove } = screen;
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
          <CapturePanel screen={screen} />
        </main>
      </DropFiles>
      <footer className={styles.foot} data-foot>
        {selection.isOn ? (
          <SelectionBar
            selected={selection.inOrder}
            order={selection.order}
            onAll={selection.selectAll}
            onDone={selection.end}
            onRemove={() => remove(selection.inOrder)}
            onMove={(before) => void actions.move(selection.inOrder, before)}
            others={screen.others}
            onToSurvey={(to) => screen.moveToSurvey(selection.inOrder, to)}
          />
        ) : (
          <AddingBar
            counts={counts}
            unread={screen.unread}
            adding={adding}
            queue={queue}
            surveyId={survey.id}
            onFiles={(given) => void addFiles.add(given)}
          />
        )}
      </footer>
      <CaptureDialogs screen={screen} />
    </>
  );
}

/** Dialogs of the page; at most one is open. */
function CaptureDialogs({ screen }: { readonly screen: CaptureScreen }) {
  const { survey, roll, selection, actions, addFiles, openedKey } = screen;
  const { images } = screen.repositories.census;
  return (
    <>
      {openedKey !== null && (
        <OpenedItem
          images={images}
          surveyId={survey.id}
          rollItems={roll.rollItems}
          openedKey={openedKey}
          order={selection.order}
          numberOf={roll.numberOf}
          onOpen={screen.open}
          onKeep={(id) => void actions.keepAsIs(id)}
          onRetake={(id, file) => void addFiles.add({ photographs: [file], leftOut: [] }, id)}
          onRemove={(id) => screen.remove([id])}
          onMove={(id, before) => void actions.move([id], before)}
          others={screen.others}
          onToSurvey={(id, to) => screen.moveToSurvey([id], to)}
        />
      )}
      {screen.showsRemoved && (
        <RemovedDialog
          images={images}
          surveyId={survey.id}
          onClose={() => screen.setShowsRemoved(false)}
          onRestore={(list) => void actions.restore(list.map(({ id }) => id))}
        />
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
