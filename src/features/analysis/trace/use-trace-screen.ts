import { useCallback, useReducer, useRef, useState, type ComponentType, type ReactNode } from 'react';
import type { FreeDrawWork, Repositories, TraceImage, UsageRepository } from '../../../data/repositories';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import type { PictureLight, ViewerHandle } from '../../picture-viewer';
import type { LearningProps, PracticePicture } from '../learning/learning-host';
import { PLAIN_LIGHT, type ReducedSize } from '../stage/LightControls';
import { traceShortcuts } from './trace-shortcuts';
import type { SavedAnalysis } from './dialogs/SavedResult';
import { useLeaveWarning } from '../work/use-leave-warning';
import { useStatusMessage } from '../work/use-status-message';
import { useUsage } from '../work/use-usage';
import { initialTraceState, traceReducer } from './trace-state';
import { useEditors } from './use-editors';
import { useNextImage } from '../next-photograph/use-next-image';
import type { WorkTabState } from '../work/use-work-tab';
import { usePainting } from './use-painting';
import { useSaving } from './use-saving';

export interface TracingProps {
  readonly repositories: Pick<Repositories, 'edge'> & { readonly census: Pick<Repositories['census'], 'analyses'> };
  /** Undefined in training, of which nothing is noted. */
  readonly usage?: UsageRepository;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  /** True if version 1 was requested and the work holds areas, which it cannot store. */
  readonly isVersionRaised?: boolean;
  readonly uid: string | null;
  /** Undefined in training, which any number of tabs may show. */
  readonly tab?: WorkTabState;
  readonly isExpert: boolean;
  readonly moreLinks?: ReactNode;
  /** Verified people and admins: dashboard, library and download (2§2). */
  readonly hasMoreActions: boolean;
  readonly onSignIn: () => void;
  readonly onGo: (image: TraceImage) => void;
  readonly teacher?: ComponentType<LearningProps>;
}

export type TraceScreen = ReturnType<typeof useTraceScreen>;

/** State and commands of the tracing screen, which its three parts share. */
export function useTraceScreen(props: TracingProps) {
  const { image, work, version, uid, tab, isExpert, onGo } = props;
  const { analyses } = props.repositories.census;
  const [state, dispatch] = useReducer(traceReducer, null, initialTraceState);
  const [dialog, setDialog] = useState<'light' | 'class' | 'ways' | null>(null);
  const [light, setLight] = useState<PictureLight>(PLAIN_LIGHT);
  const [reducedSize, setReducedSize] = useState<ReducedSize | null>(null);
  const [practice, setPractice] = useState<PracticePicture | null>(null);
  const [isTraining, setTraining] = useState(false);
  const [outline, setOutline] = useState<string | null>(null);
  const [hasStates, setStates] = useState(true);
  const [hasProgress, setProgress] = useState(true);
  const [panelSlot, setPanelSlot] = useState<HTMLElement | null>(null);
  const [message, showMessage, clearMessage] = useStatusMessage();
  const viewer = useRef<ViewerHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const editors = useEditors({ analyses, image, work, version, uid, tab, practice, showMessage });
  const painting = usePainting({
    editors,
    state,
    dispatch,
    version,
    uid,
    practice,
    viewer,
    place,
    showMessage,
    clearMessage,
  });
  const { cross } = painting;
  const { isPractice, journalState } = editors;
  const isReady = editors.editorState.isReady && !isPractice;
  const note = useUsage(props.usage);
  const next = useNextImage<SavedAnalysis>({
    analyses,
    image,
    isExpert,
    isReady,
    onGo,
    onSkip: useCallback(() => note('user_skip_image'), [note]),
  });
  const saving = useSaving({
    analyses,
    image,
    work,
    version,
    size: editors.size,
    openEditor: editors.ownEditor,
    viewer,
    uid,
    onSaved: (saved) => {
      note('analysis_complete');
      next.showAfterSave(saved);
    },
  });
  useLeaveWarning(journalState.pending > 0 && journalState.failed !== null);
  const isDialogOpen = (dialog !== null && dialog !== 'light') || state.confirmation !== null || next.shown !== null;
  useShortcuts(
    traceShortcuts(
      state,
      dispatch,
      {
        undo: painting.undo,
        redo: painting.redo,
        zap: painting.zap,
        zoom: (factor) => viewer.current?.zoomBy(factor),
        fit: () => viewer.current?.fit(),
        pan: (x, y) => viewer.current?.panBy(x, y),
        rotate: () => viewer.current?.rotate(),
        help: () => setDialog('class'),
        light: () => setDialog('light'),
        byKeys: () => dispatch({ type: 'by-keys', on: !state.byKeys }),
        step: cross.step,
        press: state.tool === 'move' ? () => showMessage('Choose the pen first: P.') : cross.press,
        confirm: painting.confirm,
        discard: painting.discard,
      },
      editors.isReadOnly,
      hasStates,
      painting.tools,
    ),
    { enabled: !isDialogOpen },
  );
  return {
    props,
    editors,
    painting,
    next,
    skip: next.skip,
    saving,
    viewer,
    place,
    message,
    state,
    dispatch,
    dialog,
    setDialog,
    light,
    setLight,
    reducedSize,
    setReducedSize,
    hasStates,
    hasProgress,
    outline,
    setPanelSlot,
    learning: { setOutline, setStates, setProgress, practice, setPractice, isTraining, setTraining, panelSlot },
  };
}
