import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { LabellingWork, Repositories, TraceImage } from '../../data/repositories';
import { labelOptionOf } from '../../domain/analysis/labelling/label-sets';
import { isImageSkipped, labelStepOf, LINEAR_STEPS, linearSettings } from '../../domain/analysis/labelling/linear-flow';
import { isSubmitStep } from '../../domain/analysis/labelling/labelling';
import type { LabelVersion } from '../../domain/analysis/labelling/label-versions';
import type { Outline } from '../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../domain/analysis/palette';
import { ANALYSIS_LIMITS } from '../../domain/limits';
import {
  useJournalQueue,
  useLeaveWarning,
  useNextImage,
  useStatusMessage,
  useUsage,
  type WorkTabState,
} from '../analysis';
import { prepareCover } from '../../workers/label-cover/label-cover';
import type { ViewerHandle, ViewState } from '../picture-viewer';
import type { SavedLabelling } from './dialogs/CompletionDialog';
import type { LabelledWork } from './labelling-state';
import { mainAction, type MainAction } from './labelling-text';
import type { LinearHost } from './linear/linear-host';
import type { LabelTool } from './stage/StageTools';
import { useLabelCoverage } from './use-label-coverage';
import { useLabelEdits } from './use-label-edits';
import { useLabelSaving } from './use-label-saving';
import { useLabelWork } from './use-label-work';
import { useStableCallback } from './use-stable-callback';

export interface LabellingProps {
  readonly repositories: Pick<Repositories, 'edge' | 'usage'> & {
    readonly census: Pick<Repositories['census'], 'analyses'>;
  };
  readonly image: TraceImage;
  readonly work: LabellingWork;
  readonly version: LabelVersion;
  /** Version of the address, which may be another or none at all; undefined without one. */
  readonly askedVersion: number | undefined;
  readonly regionName: string;
  /** Event handle of the route; undefined for none. */
  readonly event: string | undefined;
  readonly uid: string | null;
  readonly tab: WorkTabState;
  readonly isExpert: boolean;
  readonly onSignIn: () => void;
  readonly onLeave: () => void;
  readonly onGo: (image: TraceImage) => void;
  /** Called with each photograph that is offered as the next one. */
  readonly onOffer: (image: TraceImage) => void;
  /** Older linear flow that the screen is shown in; undefined for none. */
  readonly linear?: LinearHost | undefined;
}

export type LabelScreen = ReturnType<typeof useLabelScreen>;

/** State and commands of the labelling screen, which its parts share. */
export function useLabelScreen(props: LabellingProps) {
  const { image, work: opened, version, uid, tab, linear, onLeave } = props;
  const { analyses } = props.repositories.census;
  // Tools of experts come with an expert version (2§4), and the record names its version.
  const { isExpert } = version;
  const isReadOnly = opened.readOnly !== null || uid === null || tab.isElsewhere;
  const journal = useJournalQueue(
    useMemo(() => analyses.labelJournal(image), [analyses, image]),
    JOURNAL_TEXTS,
  );
  const { setQueue } = tab;
  useEffect(() => setQueue(journal.queue), [setQueue, journal.queue]);
  const work = useLabelWork(version, opened, journal.queue, isReadOnly);
  const { labelling, logs } = work;
  const [ownIndex, setOwnIndex] = useState(() => firstOpenStep(opened, work));
  const linearStep = linear === undefined ? null : labelStepOf(linear.state.step);
  const stepIndex =
    linearStep === null
      ? ownIndex
      : Math.max(
          0,
          labelling.steps.findIndex(({ step }) => step.id === linearStep),
        );
  const at = labelling.steps[stepIndex] ?? labelling.steps[0];
  if (at === undefined) throw new RangeError('A version of labelling has no step.');
  const [dialog, setDialog] = useState<'help' | 'fill' | null>(null);
  const [view, setView] = useState<ViewState | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const [pictureTurn, setPictureTurn] = useState(0);
  const [message, showMessage] = useStatusMessage();
  const viewer = useRef<ViewerHandle>(null);
  const note = useUsage(props.repositories.usage);
  const { onGo, onOffer } = props;
  const next = useNextImage<SavedLabelling>({
    analyses,
    image,
    isExpert,
    forLabels: true,
    isReady: view !== null,
    onGo,
    onOffer,
    onSkip: useCallback(() => note('user_skip_image'), [note]),
  });
  const edits = useLabelEdits({ work, at, isReadOnly, linear, note, showMessage });
  const { active, flush, setTool } = edits;
  const labels = useLabelStyles(version, work);
  const coverage = useLabelCoverage(labelling, opened.outlines);
  // A submit counts the cover, also when no server is in reach by then.
  useEffect(prepareCover, []);
  const saving = useLabelSaving({
    analyses,
    image,
    work: opened,
    version,
    queue: journal.queue,
    latest: work.latest,
    viewer,
    uid,
    event: props.event,
    onSaved: (saved) => {
      note('analysis_complete');
      if (linear === undefined) next.showAfterSave(saved);
      else linear.onStep('success');
    },
  });
  useLeaveWarning(journal.state.pending > 0 && journal.state.failed !== null);

  const fill = useStableCallback((label: string) => {
    setDialog(null);
    edits.fill(label);
  });
  const zoom = useStableCallback((by: 1 | -1) => {
    const { mlZoomMin, mlZoomMax, mlZoomStep } = ANALYSIS_LIMITS;
    const now = view?.zoom ?? 1;
    const steps = by === 1 ? Math.floor(now / mlZoomStep + 1.001) : Math.ceil(now / mlZoomStep - 1.001);
    viewer.current?.zoomTo(
      Math.min(mlZoomMax, Math.max(mlZoomMin, steps * mlZoomStep)),
      active === null ? undefined : middleOf(active),
    );
    note(`analysis_step_${at.step.id}_${by === 1 ? 'zoom' : 'zoomout'}`);
  });
  const rotate = useStableCallback(() => {
    viewer.current?.rotate();
    note(`analysis_step_${at.step.id}_rotate`);
  });
  const skip = useStableCallback(() => {
    flush();
    next.skip();
  });
  const goBack = useStableCallback(() => {
    if (linear !== undefined) linear.onStep(LINEAR_STEPS[LINEAR_STEPS.indexOf(linear.state.step) - 1] ?? 'analysis');
    else if (stepIndex === 0) onLeave();
    else setOwnIndex(stepIndex - 1);
  });
  const goOn = useStableCallback(() => {
    flush();
    const settings = linear === undefined ? null : linearSettings(linear.state, work.latest().labelling);
    if (settings?.next === 'another-image') return skip();
    if (!at.canProceed || isSubmitStep(work.latest().labelling, at.step.id)) return;
    note(`analysis_step_${at.step.id}`);
    setTool('move');
    if (linear === undefined || settings === null) setOwnIndex(stepIndex + 1);
    else if (!settings.disable) linear.onStep(settings.next);
  });
  const submit = useStableCallback(() => {
    flush();
    note(`analysis_step_${at.step.id}`);
    saving.save();
  });
  const retryPicture = useStableCallback(() => {
    setFailed(null);
    setPictureTurn(pictureTurn + 1);
  });
  const isSkipping = linear !== undefined && isImageSkipped(linear.state.step, linear.state.action);
  return {
    props,
    isReadOnly,
    journal,
    labelling,
    logs,
    coverage,
    labels,
    stepIndex,
    at,
    ...edits,
    fill,
    setTool: useCallback((to: LabelTool) => setTool((now) => (now === to && to === 'pen' ? 'move' : to)), [setTool]),
    dialog,
    setDialog,
    openHelp: useCallback(() => setDialog('help'), []),
    openFill: useCallback(() => setDialog('fill'), []),
    view,
    setView,
    failed,
    setFailed,
    pictureTurn,
    retryPicture,
    message,
    viewer,
    next,
    saving,
    action: isSkipping ? SKIP_ACTION : mainAction(labelling, at),
    /** Choice of the linear flow that its button will apply; null for none. */
    pendingChoice: isSkipping ? (linear?.state.action ?? null) : null,
    zoom,
    rotate,
    goBack,
    goOn,
    submit,
    skip,
  };
}

const JOURNAL_TEXTS = {
  busy: 'labels are being stored',
  lost: {
    title: 'The last labels could not be stored',
    text: 'This tablet could not write them. Every label before is safe.',
  },
};

const SKIP_ACTION: MainAction = { kind: 'continue', text: 'Open another image' };

/** Step to begin with: the first that is not complete, of unfinished work; else the first. */
function firstOpenStep({ from }: LabellingWork, { labelling: { steps } }: LabelledWork): number {
  if (from !== 'unfinished') return 0;
  const open = steps.findIndex(({ isComplete }) => !isComplete);
  return open === -1 ? steps.length - 1 : open;
}

function middleOf({ rings }: Outline): readonly [number, number] {
  const ring = rings[0] ?? [];
  const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  return [middle(ring.map(([x]) => x)), middle(ring.map(([, y]) => y))];
}

/** Style of the label of each outline. */
function useLabelStyles(
  { steps: [first] }: LabelVersion,
  { labelling: { labels } }: LabelledWork,
): ReadonlyMap<string, ClassStyle> {
  return useMemo(
    () =>
      new Map(
        [...labels].flatMap(([outline, label]): [string, ClassStyle][] => {
          const option = labelOptionOf(first.set, label);
          return option === undefined ? [] : [[outline, option]];
        }),
      ),
    [first.set, labels],
  );
}
