import { Suspense, useMemo, type ComponentType } from 'react';
import type { LearningHost, LearningProps, PracticePicture } from '../learning/learning-host';
import type { TraceAction, TraceState } from './trace-state';
import { useCover, type OpenTraceEditor } from '../canvas/use-trace-editor';

interface Props extends Omit<LearningProps, 'host'> {
  readonly teacher: ComponentType<LearningProps>;
  readonly openEditor: OpenTraceEditor | null;
  readonly state: TraceState;
  readonly dispatch: (action: TraceAction) => void;
  readonly practice: PracticePicture | null;
  readonly setPractice: (practice: PracticePicture | null) => void;
  readonly setOutline: (path: string | null) => void;
  readonly setStates: (on: boolean) => void;
  readonly setProgress: (on: boolean) => void;
  readonly isTraining: boolean;
  readonly setTraining: (on: boolean) => void;
}

export function LearningSlot({
  teacher: Teacher,
  openEditor,
  state,
  dispatch,
  practice,
  setPractice,
  setOutline,
  setStates,
  setProgress,
  isTraining,
  setTraining,
  ...rest
}: Props) {
  const cover = useCover(openEditor);
  const { paints } = state;
  const isPractice = practice !== null;
  const host = useMemo(
    (): LearningHost => ({
      cover,
      counts: openEditor?.editor.counts ?? null,
      labels: async () => {
        const rule = openEditor?.editor.rule ?? null;
        if (openEditor === null || rule === null) return null;
        return { labels: await openEditor.session.labels(), width: rule.width, height: rule.height };
      },
      canvas: () => openEditor?.session.canvas ?? null,
      selectedType: paints.type,
      selectType: (id) => dispatch({ type: 'choose', id }),
      restrict: (only) => dispatch({ type: 'restrict', only }),
      offerStates: setStates,
      showProgress: setProgress,
      showOutline: setOutline,
      showPractice: setPractice,
      clear: () => {
        if (isPractice) openEditor?.editor.apply({ kind: 'clear' });
      },
      isTraining,
      setTraining,
    }),
    [
      cover,
      openEditor,
      paints.type,
      isPractice,
      dispatch,
      setPractice,
      setOutline,
      setStates,
      setProgress,
      isTraining,
      setTraining,
    ],
  );
  return (
    <Suspense fallback={null}>
      <Teacher host={host} {...rest} />
    </Suspense>
  );
}
