import { useCallback, useDeferredValue, type ComponentProps } from 'react';
import { labelOptionOf, labelSet } from '../../domain/analysis/labelling/label-sets';
import type { Outline } from '../../domain/analysis/labelling/outline';
import { locationLabel } from '../../domain/position/location-label';
import { useShortcuts } from '../../ui/keys/use-shortcuts';
import { NextPreview, PLAIN_LIGHT, useViewedPicture } from '../analysis';
import { ConnectionFacts } from '../sync-status';
import { CategoryHelpDialog } from './dialogs/CategoryHelpDialog';
import { CompletionDialog } from './dialogs/CompletionDialog';
import { FillDialog } from './dialogs/FillDialog';
import styles from './Labelling.module.css';
import { labelShortcuts } from './labelling-shortcuts';
import { countText } from './labelling-text';
import { shownLinearSteps } from './linear/linear-host';
import { LabelFoot } from './panel/LabelFoot';
import { LabelNotes } from './panel/LabelNotes';
import { LabelPanel } from './panel/LabelPanel';
import { StepBar } from './panel/StepBar';
import { LabelStage } from './stage/LabelStage';
import { neighbourOf, nextUnlabelled, stepOutline, type Direction } from './stage/neighbours';
import { OutlineList } from './stage/OutlineList';
import { StageTools } from './stage/StageTools';
import { useLabelScreen, type LabellingProps, type LabelScreen } from './use-label-screen';

const NONE: readonly Outline[] = [];

/** Labelling screen: steps above, the picture with its outlines, the categories beside it, Back and Continue below. */
export function Labelling(props: LabellingProps) {
  const screen = useLabelScreen(props);
  const { labelling, at, labels, active } = screen;
  const { image, repositories } = props;
  useKeys(screen);
  const set = labelling.version.steps[0].set;
  const labelOf = useCallback(
    (id: string): string | null => {
      const label = labelling.labels.get(id);
      return label === undefined ? null : (labelOptionOf(set, label)?.label ?? label);
    },
    [labelling.labels, set],
  );
  const isLabelStep = at.step.kind === 'labels';
  // The photograph opens before its list is made: 200 buttons.
  const listed = useDeferredValue(labelling.outlines, NONE);
  return (
    <main className={styles.label} data-ready={screen.view !== null}>
      <StepBar {...(props.linear === undefined ? shownSteps(screen) : shownLinearSteps(props.linear.state.step))}>
        <ConnectionFacts edge={repositories.edge} />
      </StepBar>
      <LabelStage
        viewer={screen.viewer}
        picture={useViewedPicture(repositories.census.analyses, image, screen.pictureTurn)}
        light={PLAIN_LIGHT}
        outlines={labelling.outlines}
        labels={labels}
        styles={labelSet(set)}
        activeLayer={screen.activeLayer}
        zap={labelling.zap === null ? null : (labelOptionOf(set, labelling.zap) ?? null)}
        active={active}
        highlighted={isLabelStep ? null : at.covered}
        tool={screen.tool}
        view={screen.view}
        onView={screen.setView}
        onTap={screen.setActive}
        onDrawn={screen.draw}
        onFailed={screen.setFailed}
        over={
          <>
            <p className={styles.region}>{regionText(screen)}</p>
            {isLabelStep && (
              <OutlineList outlines={listed} labelOf={labelOf} active={active} onActive={screen.setActive} />
            )}
          </>
        }
      >
        <Tools screen={screen} />
        <p className={styles.status} role="status">
          {screen.message}
        </p>
      </LabelStage>
      <LabelPanel
        labelling={labelling}
        at={at}
        chosen={chosenOf(screen)}
        hasActive={active !== null}
        isReadOnly={screen.isReadOnly}
        onChoose={screen.choose}
        onHelp={screen.openHelp}
      >
        <Notes screen={screen} />
      </LabelPanel>
      <LabelFoot
        action={screen.action}
        isSaving={screen.saving.isSaving}
        isReadOnly={screen.isReadOnly}
        region={regionText(screen)}
        text={footText(screen)}
        onBack={screen.goBack}
        onContinue={screen.goOn}
        onSubmit={screen.submit}
      />
      <Dialogs screen={screen} />
    </main>
  );
}

const shownSteps = ({
  labelling,
  stepIndex,
}: LabelScreen): Pick<ComponentProps<typeof StepBar>, 'steps' | 'current'> => ({
  current: stepIndex,
  steps: labelling.steps.map((each) => ({
    id: each.step.id,
    title: each.step.title,
    progress: each.progress,
    count: countText(each, labelling.labels),
  })),
});

function footText({ action, labelling: { version, outlines, labels } }: LabelScreen): string {
  if (version.isExpert && labels.size < outlines.length)
    return 'Outlines without a label are left out when you submit.';
  return action.kind === 'submit'
    ? 'Stored on this tablet. It goes to the census when there is a link.'
    : 'Every label is stored on this tablet at once. You can stop at any time.';
}

function chosenOf({ at, active, labelling, pendingChoice }: LabelScreen): string | null {
  if (pendingChoice !== null) return pendingChoice;
  if (at.step.kind === 'question') return labelling.answers.get(at.step.id) ?? null;
  if (active === null) return labelling.isBad ? (labelling.labels.values().next().value ?? null) : null;
  return labelling.labels.get(active.id) ?? null;
}

/** Label of the region; for experts with the survey and the counters of coverage and progress (2§2). */
function regionText({ props, labelling, coverage }: LabelScreen): string {
  const { image, regionName } = props;
  const region = [locationLabel(image.latitude), regionName].filter((word) => word !== null).join(' ');
  if (!labelling.version.isExpert) return region;
  return [
    image.survey.name === '' ? region : image.survey.name,
    ...(coverage === null ? [] : [`${Math.floor(coverage * 100)}% covered`]),
    `${labelling.labels.size} of ${labelling.outlines.length} labelled`,
  ].join(' · ');
}

function Tools({ screen }: { readonly screen: LabelScreen }) {
  const { at, labelling, active, view, tool } = screen;
  const isLabelStep = at.step.kind === 'labels';
  return (
    <StageTools
      isExpert={labelling.version.isExpert && isLabelStep}
      tool={tool}
      canUndo={at.canUndo}
      canRedo={at.canRedo}
      canErase={active !== null && !labelling.labels.has(active.id)}
      canFill={labelling.zap === null && !labelling.isBad}
      canZoomIn={view !== null && view.zoom < 2.99}
      canZoomOut={view !== null && view.zoom > 1.01}
      canSkip={!screen.saving.isSaving}
      isReadOnly={screen.isReadOnly}
      onTool={screen.setTool}
      onUndo={screen.undo}
      onRedo={screen.redo}
      onErase={screen.erase}
      onFill={screen.openFill}
      onZoom={screen.zoom}
      onRotate={screen.rotate}
      onSkip={screen.skip}
    />
  );
}

function Notes({ screen }: { readonly screen: LabelScreen }) {
  const { props, journal, saving, failed, logs } = screen;
  return (
    <LabelNotes
      work={props.work}
      tab={props.tab}
      isFresh={logs === props.work.logs}
      uid={props.uid}
      askedVersion={props.askedVersion}
      journalState={journal.state}
      pictureFailed={failed}
      saveFailed={saving.failed}
      onRetryPicture={screen.retryPicture}
      onRetrySave={screen.submit}
      onRetryJournal={() => void journal.queue?.flush().catch(() => undefined)}
      onSignIn={props.onSignIn}
    />
  );
}

function Dialogs({ screen }: { readonly screen: LabelScreen }) {
  const { props, dialog, setDialog, next, at } = screen;
  const { analyses } = props.repositories.census;
  const { shown } = next;
  return (
    <>
      {dialog === 'help' && <CategoryHelpDialog set={at.step.set} onClose={() => setDialog(null)} />}
      {dialog === 'fill' && <FillDialog set={at.step.set} onFill={screen.fill} onClose={() => setDialog(null)} />}
      {shown !== null && shown.result !== null && (
        <CompletionDialog
          analyses={analyses}
          saved={shown.result}
          regionName={props.regionName}
          next={shown.next}
          onNext={props.onGo}
          onClose={next.hide}
        />
      )}
      {shown !== null && shown.result === null && (
        <NextPreview
          analyses={analyses}
          saved={false}
          isSkipped={shown.skipped}
          next={shown.next}
          onStart={props.onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
        />
      )}
    </>
  );
}

function useKeys(screen: LabelScreen): void {
  const { labelling, at, active, view, setActive, dialog, next } = screen;
  const { outlines, labels } = labelling;
  const isLabelStep = at.step.kind === 'labels';
  const go = (outline: ReturnType<typeof neighbourOf>): void => {
    if (isLabelStep && outline !== null) setActive(outline);
  };
  useShortcuts(
    labelShortcuts(
      labelSet(at.step.set),
      {
        choose: screen.choose,
        neighbour: (direction: Direction) =>
          go(
            neighbourOf(
              outlines,
              active?.id ?? null,
              direction,
              view === null ? 1 : view.height / view.width,
              view?.turns ?? 0,
            ),
          ),
        step: (by) => go(stepOutline(outlines, active?.id ?? null, by)),
        nextOpen: () => go(nextUnlabelled(outlines, (id) => labels.has(id))),
        zoom: screen.zoom,
        fit: () => screen.viewer.current?.fit(),
        rotate: screen.rotate,
        undo: screen.undo,
        redo: screen.redo,
        help: () => screen.setDialog('help'),
        skip: screen.skip,
        goBack: screen.goBack,
        main: screen.action.kind === 'submit' ? screen.submit : screen.goOn,
        pen: () => screen.setTool('pen'),
        move: () => screen.setTool('move'),
        erase: screen.erase,
        fill: () => screen.setDialog('fill'),
      },
      { isReadOnly: screen.isReadOnly, isExpert: labelling.version.isExpert && isLabelStep },
    ),
    { enabled: dialog === null && next.shown === null },
  );
}
