import {
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import type { AnalysisRepository, FreeDrawWork, Repositories, TraceImage } from '../../../data/repositories';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import { AREA_TOOLS } from '../tools/area-tools';
import type { PictureLight, ViewedPicture, ViewerHandle } from '../../picture-viewer';
import { ClassHelpDialog } from './dialogs/ClassHelpDialog';
import { ThumbToolbar } from './toolbar/ThumbToolbar';
import { usePenHand } from './toolbar/pen-hand';
import type { JournalQueueState } from '../canvas/journal-queue';
import { LearningSlot } from './LearningSlot';
import { LazyLearning } from '../learning/lazy-learning';
import { LightControls, PLAIN_LIGHT, type ReducedSize } from './dialogs/LightControls';
import { NextPreview } from './dialogs/NextPreview';
import { ConfirmFillDialog } from './dialogs/ConfirmFillDialog';
import type { LearningProps, PracticePicture } from '../learning/learning-host';
import type { ToolId, ToolSurface } from '../tools/tool';
import { Stage } from './Stage';
import { toolHint } from './toolbar/tool-hints';
import { TopBar } from './toolbar/TopBar';
import { traceShortcuts } from './trace-shortcuts';
import { TraceNotes } from './panel/TraceNotes';
import { TracePanel } from './panel/TracePanel';
import { initialTraceState, traceReducer, type FillConfirmation, type TraceState } from './trace-state';
import styles from './Tracing.module.css';
import { useCrossHair } from './use-cross-hair';
import {
  useCanvas,
  useTraceEditor,
  useTraceEditorState,
  useTracingWarning,
  type TraceDocument,
} from '../canvas/use-trace-editor';
import { useLetters } from '../canvas/use-letters';
import { useNextImage } from './use-next-image';
import { useSaving } from './use-saving';
import { useShiftToggle } from './toolbar/use-shift-toggle';
import { useActiveTool } from './toolbar/use-active-tool';
import { downloadActions } from './dialogs/download-actions';
import { MoreActionsDialog } from './dialogs/MoreActionsDialog';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge'>;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  /** True if version 1 was requested and the work holds areas, which it cannot store. */
  readonly isVersionRaised?: boolean;
  readonly uid: string | null;
  readonly isExpert: boolean;
  readonly moreLinks?: ReactNode;
  /** Verified people and admins: dashboard, library and download (2§2). */
  readonly hasMoreActions: boolean;
  readonly onSignIn: () => void;
  readonly onGo: (image: TraceImage) => void;
  readonly teacher?: ComponentType<LearningProps>;
}

type OpenDialog = 'light' | 'class' | 'ways' | null;

export function Tracing({
  repositories,
  image,
  work,
  version,
  isVersionRaised = false,
  uid,
  isExpert,
  moreLinks,
  hasMoreActions,
  onSignIn,
  onGo,
  teacher,
}: Props) {
  const { analyses, edge } = repositories;
  const [state, dispatch] = useReducer(traceReducer, null, () => initialTraceState());
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [light, setLight] = useState<PictureLight>(PLAIN_LIGHT);
  const [size, setSize] = useState<TraceDocument['size']>(work.size);
  const [reducedSize, setReducedSize] = useState<ReducedSize | null>(null);
  const [practice, setPractice] = useState<PracticePicture | null>(null);
  const [isTraining, setTraining] = useState(false);
  const [outline, setOutline] = useState<string | null>(null);
  const [hasStates, setStates] = useState(true);
  const [hasProgress, setProgress] = useState(true);
  const [journalState, setJournalState] = useState<JournalQueueState>({ pending: 0, failed: null });
  const [failed, setFailed] = useState<unknown>(null);
  const [panelSlot, setPanelSlot] = useState<HTMLElement | null>(null);
  const [message, showMessage] = useStatusMessage();
  const viewer = useRef<ViewerHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const hand = usePenHand();

  const ownPicture = useViewedPicture(analyses, image);
  const journal = useMemo(() => analyses.journal(image), [analyses, image]);
  const isViewOnly = work.readOnly !== null || uid === null;
  const ownEditor = useTraceEditor(
    useMemo(
      () => ({ key: `image ${image.id}`, version, marks: work.marks, undone: work.undone, journal, size }),
      [image.id, version, work, journal, size],
    ),
    { showMessage, onFailed: setFailed, onJournalState: setJournalState },
  );
  const practiceEditor = useTraceEditor(
    useMemo(
      () =>
        practice === null
          ? null
          : {
              key: `practice ${practice.picture.key}`,
              version,
              marks: practice.marks ?? [],
              undone: [],
              journal: null,
              size: { width: practice.width, height: practice.height },
            },
      [practice, version],
    ),
    { showMessage, onFailed: setFailed, onJournalState: noop },
  );
  const isPractice = practice !== null;
  const isReadOnly = isViewOnly && !isPractice;
  const openEditor = isPractice ? practiceEditor : ownEditor;
  const editorState = useTraceEditorState(openEditor);
  const canvas = useCanvas(openEditor);
  const warning = useTracingWarning(openEditor);
  const letters = useLetters(openEditor);

  const surface = useMemo(
    (): ToolSurface => ({
      pixels: (width) => viewer.current?.pixels(width) ?? Promise.resolve(null),
      size: () => practice ?? size,
      reach: (px) => viewerReach(viewer.current, px),
    }),
    [practice, size],
  );
  const editor = openEditor?.editor ?? null;
  const refusalReason = useCallback((): string | null => {
    if (uid === null && !isPractice) return 'Sign in or enter your name before you paint.';
    if (isReadOnly) return 'This analysis is view only.';
    if (editor?.state.isReady !== true) return 'The picture is still opening.';
    if (editor.state.isLocked) return 'The analysis is being saved. Continue in a moment.';
    if (editor.cover.flag !== null)
      return `The picture is flagged: ${editor.cover.flag.type.label}. Undo the flag to paint.`;
    return null;
  }, [uid, isPractice, isReadOnly, editor]);
  const effectiveTool = toolBehindShift(state);
  const activeTool = useActiveTool({ editor, tool: effectiveTool, surface, refusalReason, showMessage });
  useEffect(() => {
    editor?.paintWith(
      isReadOnly || effectiveTool === 'move' ? null : effectiveTool === 'erase' ? 'erase' : state.paints,
    );
  }, [editor, isReadOnly, effectiveTool, state.paints]);
  const tools = version === 1 ? NO_TOOLS : AREA_TOOLS;
  const offered = tools.find(({ id }) => id === state.tool);
  const cross = useCrossHair({
    isOn: state.byKeys,
    viewer,
    place,
    pen: activeTool.pen,
    kind: offered?.press ?? 'hold',
    tool: state.tool,
  });
  useShiftToggle(dispatch, () => !state.byKeys && !cross.isDown);

  const next = useNextImage({ analyses, image, isExpert, isReady: editorState.isReady && !isPractice, onGo });
  const saving = useSaving({
    analyses,
    image,
    work,
    version,
    size,
    openEditor: ownEditor,
    viewer,
    uid,
    onSaved: next.showAfterSave,
  });

  const actions = {
    undo: () => {
      if (activeTool.undoStep()) cross.lift();
      else editor?.apply({ kind: 'undo' });
    },
    redo: () => editor?.apply({ kind: 'redo' }),
    zap: () => {
      const why = refusalReason();
      if (why === null) dispatch({ type: 'zap' });
      else showMessage(why);
    },
  };
  const confirmFill = ({ paints }: FillConfirmation): void => {
    dispatch({ type: 'answered' });
    activeTool.discard();
    editor?.fill(paints);
  };
  const downloads =
    hasMoreActions && ownEditor !== null && size !== null
      ? downloadActions({ image, openEditor: ownEditor, size })
      : [];
  const hasUnstored = journalState.pending > 0 && journalState.failed !== null;
  useEffect(() => {
    if (!hasUnstored) return undefined;
    // Leaving the page would lose the strokes that are not stored yet.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [hasUnstored]);
  const isDialogOpen = (dialog !== null && dialog !== 'light') || state.confirmation !== null || next.shown !== null;
  useShortcuts(
    traceShortcuts(
      state,
      dispatch,
      {
        ...actions,
        zoom: (factor) => viewer.current?.zoomBy(factor),
        fit: () => viewer.current?.fit(),
        pan: (x, y) => viewer.current?.panBy(x, y),
        rotate: () => viewer.current?.rotate(),
        help: () => setDialog('class'),
        light: () => setDialog('light'),
        byKeys: () => dispatch({ type: 'by-keys', on: !state.byKeys }),
        step: cross.step,
        press: state.tool === 'move' ? () => showMessage('Choose the pen first: P.') : cross.press,
        confirm: () => {
          cross.lift();
          activeTool.confirm();
        },
        discard: () => {
          cross.lift();
          activeTool.discard();
        },
      },
      isReadOnly,
      hasStates,
      tools,
    ),
    { enabled: !isDialogOpen },
  );

  return (
    <main className={styles.trace} data-ready={editorState.isReady}>
      <Stage
        viewer={viewer}
        place={place}
        picture={practice?.picture ?? ownPicture}
        pointerMode={state.tool === 'move' ? 'move' : 'paint'}
        pen={activeTool.pen}
        light={light}
        marks={canvas}
        areMarksHidden={state.areMarksHidden}
        letters={letters}
        draft={editorState.draft}
        outline={outline}
        cross={cross.at}
        isPenDown={cross.isDown}
        penWidthShare={PEN_WIDTH_SHARE}
        toolHand={hand}
        onSize={({ width, height, shownAt }) => {
          // Returns the previous object for the same picture, so that zooming does not re-render.
          setReducedSize((before) =>
            shownAt === null ? null : before?.shownAt === shownAt ? before : { width, height, shownAt },
          );
          if (!isPractice) setSize((before) => before ?? { width, height });
        }}
        onFailed={setFailed}
      >
        <TopBar
          image={image}
          edge={edge}
          journalState={journalState}
          isReadOnly={isReadOnly}
          isPractice={isPractice}
          onMore={() => setDialog('ways')}
        />
        <ThumbToolbar
          tool={state.tool}
          onTool={(tool) => dispatch({ type: 'tool', tool })}
          areaTools={tools}
          canUndo={(editorState.canUndo || editorState.draft !== null) && !isReadOnly}
          canRedo={editorState.canRedo && !isReadOnly}
          onUndo={actions.undo}
          onRedo={actions.redo}
          onZap={actions.zap}
          onHelp={() => setDialog('class')}
          isReadOnly={isReadOnly}
          hand={hand}
        />
        <p className={styles.words} role="status">
          {message ??
            (state.byKeys
              ? `Painting by keyboard: arrow keys move, Space puts the pen ${cross.isDown ? 'up' : 'down'}, K stops.`
              : '')}
        </p>
        <LearningSlot
          teacher={teacher ?? LazyLearning}
          setOutline={setOutline}
          setStates={setStates}
          setProgress={setProgress}
          openEditor={openEditor}
          state={state}
          dispatch={dispatch}
          practice={practice}
          setPractice={setPractice}
          isTraining={isTraining}
          setTraining={setTraining}
          uid={uid}
          isExpert={isExpert}
          panelSlot={panelSlot}
        />
        {dialog === 'light' && (
          <LightControls
            light={light}
            reducedSize={reducedSize}
            onLight={setLight}
            areMarksHidden={state.areMarksHidden}
            onHide={(hidden) => dispatch({ type: 'hide-marks', hidden })}
            onRotate={() => viewer.current?.rotate()}
            onClose={() => setDialog(null)}
          />
        )}
      </Stage>
      <TracePanel
        openEditor={openEditor}
        state={state}
        isReadOnly={isReadOnly}
        hasStates={hasStates}
        hasProgress={hasProgress}
        isPractice={isPractice}
        isSaving={saving.isSaving}
        canSkip={!saving.isSaving}
        panelSlot={setPanelSlot}
        notes={
          isPractice ? null : (
            <TraceNotes
              isVersionRaised={isVersionRaised}
              work={work}
              isFresh={editorState.marks === work.marks.length && next.shown === null}
              uid={uid}
              journalState={journalState}
              failed={failed}
              saveFailed={saving.failed}
              warning={warning}
              onRetrySave={saving.save}
              onSignIn={onSignIn}
              onRetryJournal={() => void ownEditor?.journalQueue?.flush().catch(noop)}
            />
          )
        }
        onGroup={(group) => dispatch({ type: 'group', group })}
        onChoose={(id) => dispatch({ type: 'choose', id })}
        onModifier={(mod) => dispatch({ type: 'modifier', mod })}
        onSkip={next.skip}
        onSave={saving.save}
      />
      <ConfirmFillDialog
        confirmation={state.confirmation}
        marks={editorState.marks}
        onConfirm={confirmFill}
        onCancel={() => dispatch({ type: 'answered' })}
      />
      {dialog === 'class' && (
        <ClassHelpDialog of={state.paints} hint={toolHint(state.tool)} onClose={() => setDialog(null)} />
      )}
      {dialog === 'ways' && (
        <MoreActionsDialog
          onClose={() => setDialog(null)}
          onLight={() => setDialog('light')}
          hasTraining={teacher === undefined}
          isTraining={isTraining}
          onTraining={(on) => {
            setTraining(on);
            setDialog(null);
          }}
          librarySurvey={hasMoreActions ? image.survey.id : null}
          moreLinks={moreLinks}
          downloads={downloads}
        />
      )}
      {next.shown !== null && (
        <NextPreview
          analyses={analyses}
          saved={next.shown.saved ? 'Saved on this tablet' : null}
          isSkipped={next.shown.skipped}
          next={next.shown.next}
          onStart={onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
        />
      )}
    </main>
  );
}

const noop = (): void => undefined;

const NO_TOOLS: typeof AREA_TOOLS = [];

/** Reach along the screen's axes, measured on the picture, which may be rotated. */
function viewerReach(viewer: ViewerHandle | null, px: number): ReturnType<ToolSurface['reach']> {
  if (viewer === null) return null;
  const [[x0, y0], [x1, y1], [x2, y2]] = [viewer.placeOf(0, 0), viewer.placeOf(px, 0), viewer.placeOf(0, px)];
  const [x, y] = [Math.hypot(x1 - x0, x2 - x0), Math.hypot(y1 - y0, y2 - y0)];
  return x > 0 && y > 0 ? { x, y } : null;
}

/**
 * Tool in effect: while Shift lends the move tool, the previous tool stays active so that its corners are not
 * discarded.
 */
const toolBehindShift = ({ tool, toolBeforeShift }: TraceState): ToolId =>
  tool === 'move' && toolBeforeShift !== null ? toolBeforeShift : tool;

/** Pen width as a fraction of the picture's width: the same on every picture. */
const PEN_WIDTH_SHARE = ((rule) => rule.penWidth / rule.width)(rasterRule(3, 1, 1));

const MESSAGE_MS = 6000;

function useStatusMessage(): readonly [string | null, (words: string) => void] {
  const [shown, setShown] = useState<{ readonly words: string } | null>(null);
  const showMessage = useCallback((words: string) => setShown({ words }), []);
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => setShown(null), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return [shown?.words ?? null, showMessage];
}

function useViewedPicture(analyses: AnalysisRepository, image: TraceImage): ViewedPicture {
  return useMemo(
    () => ({
      key: image.id,
      open: (size) => analyses.picture(image, size),
      openCorrected: image.hasCorrected ? (size) => analyses.corrected(image, size) : null,
      name: image.name === '' ? 'Photograph' : `Photograph ${image.name}`,
    }),
    [analyses, image],
  );
}
